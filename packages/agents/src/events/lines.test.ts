import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Line, LineSplitter } from "./lines.ts";

const limits = { lineBytes: 64, headBytes: 16 };

describe("lines", () => {
  it("are the same however the bytes were cut, and as a plain split of them says", () => {
    const bytes = fc.uint8Array({ maxLength: 400 }).map((all) => Buffer.from(all));
    // Random bytes have a newline now and then; many short and some long lines are wanted too.
    const lines = fc
      .array(fc.string({ maxLength: 100 }), { maxLength: 20 })
      .map((all) => Buffer.from(all.join("\n")));
    fc.assert(
      fc.property(fc.oneof(bytes, lines), fc.array(fc.nat(60), { maxLength: 40 }), (all, cuts) => {
        expect(split(pieces(all, cuts))).toEqual(expected(all));
      }),
    );
  });

  it("hold no more than the limit while a line that never ends comes in", () => {
    const splitter = new LineSplitter({ lineBytes: 1024 * 1024, headBytes: 1024 });
    const piece = Buffer.alloc(64 * 1024, "x");
    const before = process.memoryUsage().arrayBuffers;
    for (let count = 0; count < 4096; count += 1) expect([...splitter.push(Buffer.from(piece))]).toEqual([]);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(192 * 1024 * 1024);
    const [line] = [...splitter.end()];
    expect(line).toEqual({ kind: "cut", text: "x".repeat(1024), bytes: 256 * 1024 * 1024 });
  });

  it("of a character that two pieces share come out whole, and what is none becomes U+FFFD", () => {
    const smile = Buffer.from("☺\n");
    expect(split([smile.subarray(0, 1), smile.subarray(1, 2), smile.subarray(2)])).toEqual([whole("☺")]);
    expect(split([Buffer.from([0x61, 0xff, 0x62, 0x0a])])).toEqual([whole("a\ufffdb")]);
  });
});

function split(all: readonly Buffer[]): Line[] {
  const splitter = new LineSplitter(limits);
  return [...all.flatMap((piece) => [...splitter.push(piece)]), ...splitter.end()];
}

function pieces(all: Buffer, cuts: readonly number[]): Buffer[] {
  let at = 0;
  const parts = cuts.map((length) => {
    at += length;
    return all.subarray(at - length, at);
  });
  return [...parts, all.subarray(at)];
}

/** By another way than the code's: the whole at once, byte by byte. */
function expected(all: Buffer): Line[] {
  const lines: number[][] = [[]];
  for (const byte of all) {
    if (byte === 10) lines.push([]);
    else lines.at(-1)?.push(byte);
  }
  if (lines.at(-1)?.length === 0) lines.pop();
  return lines.map((bytes) => {
    if (bytes.length > limits.lineBytes)
      return {
        kind: "cut",
        text: Buffer.from(bytes.slice(0, limits.headBytes)).toString(),
        bytes: bytes.length,
      };
    return whole(Buffer.from(bytes.at(-1) === 13 ? bytes.slice(0, -1) : bytes).toString());
  });
}

function whole(text: string): Line {
  return { kind: "whole", text };
}
