import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Answer, AnswerDecoder, encodeSpawn, encodeStrings, noPipe } from "./spawner-messages.ts";

const request = {
  user: { uid: 1000, gid: 1001 },
  marker: 61_000,
  emptyBoundingSet: false,
  cwd: "/work",
  argv: ["printf", "%s", "ü"],
  env: { PATH: "/bin", EMPTY: "" },
};

describe("what is said to the spawner", () => {
  it("is the command's numbers and then its strings, each ended by a zero byte", () => {
    const strings = encodeStrings(request) ?? Buffer.alloc(0);
    const message = encodeSpawn(7, request, [noPipe, 3, 4], strings);
    const numbers = new Uint32Array(Uint8Array.from(message.subarray(0, 48)).buffer);
    expect([...numbers]).toEqual([2, 7, message.length - 12, 1000, 1001, 61_000, 0, noPipe, 3, 4, 3, 2]);
    expect(message.subarray(48).toString()).toBe("/work\0printf\0%s\0ü\0PATH=/bin\0EMPTY=\0");
  });

  it("is nothing at all where a string holds a zero byte, or no kernel would take so much", () => {
    expect(encodeStrings({ ...request, argv: ["a\0b"] })).toBeUndefined();
    expect(encodeStrings({ ...request, cwd: "/\0" })).toBeUndefined();
    expect(encodeStrings({ ...request, env: { A: "\0" } })).toBeUndefined();
    expect(encodeStrings({ ...request, argv: ["x".repeat(8 * 1024 * 1024)] })).toBeUndefined();
  });
});

describe("what the spawner says", () => {
  const number = fc.integer({ min: 0, max: 0xffff_ffff });
  const answer = fc.tuple(number, number, number, number);

  it("is the same however the bytes are split", () => {
    fc.assert(
      fc.property(
        fc.array(answer, { maxLength: 10 }),
        fc.array(fc.nat(), { maxLength: 20 }),
        (said, cuts) => {
          const bytes = Buffer.from(Uint32Array.from(said.flat()).buffer);
          const decoder = new AnswerDecoder();
          const heard = split(bytes, cuts).flatMap((piece) => decoder.push(piece));
          expect(heard).toEqual(
            said.map(([type, id, first, second]): Answer => ({ type, id, first, second })),
          );
        },
      ),
    );
  });
});

function split(bytes: Buffer, cuts: number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}
