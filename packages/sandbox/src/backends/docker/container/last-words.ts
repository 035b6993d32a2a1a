import type Docker from "dockerode";

/** Enough for a whole stack trace. */
const lines = 20;

/** The end of what a container's own process wrote, as an addition to a sentence; empty when there is nothing. */
export async function lastWords(container: Docker.Container): Promise<string> {
  try {
    const log = await container.logs({ stdout: true, stderr: true, tail: lines, follow: false });
    const text = withoutFrames(log).trim();
    return text === "" ? "" : `. It said last:\n${text}`;
  } catch {
    return "";
  }
}

/** The engine puts eight bytes in front of every piece: the stream's number and the piece's length. */
function withoutFrames(log: Buffer): string {
  const pieces: string[] = [];
  for (let at = 0; at + 8 <= log.length; ) {
    const length = log.readUInt32BE(at + 4);
    pieces.push(log.toString("utf8", at + 8, at + 8 + length));
    at += 8 + length;
  }
  return pieces.join("");
}
