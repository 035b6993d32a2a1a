import { Readable } from "node:stream";
import fc from "fast-check";
import { expect, it } from "vitest";
import { demultiplex } from "./demultiplex.ts";

const piece = fc.record({
  stream: fc.constantFrom("stdout" as const, "stderr" as const),
  data: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
});

it("any pieces, cut anywhere, come out in their streams and in order", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece),
      fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }),
      async (pieces, cuts) => {
        const wire = Buffer.concat(pieces.flatMap(({ stream, data }) => [header(stream, data.length), data]));
        const got = { stdout: "", stderr: "" };
        for await (const { stream, data } of demultiplex(Readable.from(cut(wire, cuts)))) {
          got[stream] += data.toString("hex");
        }
        const wanted = (name: "stdout" | "stderr") =>
          pieces
            .filter(({ stream }) => stream === name)
            .map(({ data }) => data.toString("hex"))
            .join("");
        expect(got).toEqual({ stdout: wanted("stdout"), stderr: wanted("stderr") });
      },
    ),
  );
});

function header(stream: "stdout" | "stderr", length: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt8(stream === "stdout" ? 1 : 2, 0);
  bytes.writeUInt32BE(length, 4);
  return bytes;
}

function* cut(wire: Buffer, cuts: readonly number[]): Generator<Buffer> {
  for (let at = 0, turn = 0; at < wire.length; turn += 1) {
    const size = cuts[turn % cuts.length] ?? 1;
    yield wire.subarray(at, at + size);
    at += size;
  }
}
