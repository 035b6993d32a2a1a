import type { Readable } from "node:stream";
import { type EgressOpening, egressOpening } from "@opentiger/schema";
import { maxOpeningBytes } from "../protocol/doors.ts";

const lineEnd = 0x0a;

/** Parses what a supervisor said a connection wanted. It comes out of a sandbox: anything else is refused. */
export function parseOpening(text: string): EgressOpening {
  return egressOpening.parse(JSON.parse(text));
}

/** Takes the opening off the front of a stream. Every byte behind it is still in the stream afterwards. */
export async function readOpening(stream: Readable): Promise<EgressOpening> {
  const line = await readLine(stream);
  return parseOpening(line.toString("utf8"));
}

/** The bytes before the line's end, which is taken too; the stream keeps the rest. */
function readLine(stream: Readable): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    const settle = (outcome: () => void): void => {
      stream.off("readable", look);
      stream.off("end", cut);
      stream.off("close", cut);
      // Not in the same turn: a stream flows again only when it has seen that nobody looks for what is readable.
      setImmediate(outcome);
    };
    const cut = (): void => settle(() => reject(new Error("the connection ended before its opening did")));
    const look = (): void => {
      const { whole, piece } = takeLine(stream);
      pieces.push(piece);
      const size = pieces.reduce((sum, { length }) => sum + length, 0);
      if (size > maxOpeningBytes) settle(() => reject(new Error("the opening is too long")));
      else if (whole) settle(() => resolve(Buffer.concat(pieces)));
    };
    stream.on("readable", look);
    stream.on("end", cut);
    stream.on("close", cut);
  });
}

/** What there is of the line at present. */
function takeLine(stream: Readable): { whole: boolean; piece: Buffer } {
  // All that has come, at once. Without an encoding it is a buffer, and null when there is nothing yet.
  const chunk = (stream.read() as Buffer | null) ?? Buffer.alloc(0);
  const end = chunk.indexOf(lineEnd);
  if (end < 0) return { whole: false, piece: chunk };
  if (end + 1 < chunk.length) stream.unshift(chunk.subarray(end + 1));
  return { whole: true, piece: chunk.subarray(0, end) };
}
