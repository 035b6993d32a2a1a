import { SandboxError } from "../errors.ts";

export interface PackLimits {
  /** Bytes of the pack as it is sent. */
  packBytes: number;
  /** Bytes of one object when it is unpacked: a few bytes can stand for gigabytes. */
  objectBytes: number;
}

export const defaultPackLimits: PackLimits = { packBytes: 2 * 1024 ** 3, objectBytes: 512 * 1024 ** 2 };

const headerBytes = 12;

/** Reads how many objects a pack announces, and passes all of it on, up to the limit. */
export async function readPack(
  bytes: AsyncIterable<Buffer>,
  most: number,
): Promise<{ objects: number; bytes: AsyncGenerator<Buffer, void> }> {
  const bounded = limited(bytes, most);
  let start: Buffer = Buffer.alloc(0);
  while (start.length < headerBytes) {
    const step = await bounded.next();
    if (step.done) throw noPack("it ends too early");
    start = Buffer.concat([start, step.value]);
  }
  if (start.toString("latin1", 0, 4) !== "PACK") throw noPack("it does not start like one");
  return { objects: start.readUInt32BE(8), bytes: joined(start, bounded) };
}

async function* limited(bytes: AsyncIterable<Buffer>, most: number): AsyncGenerator<Buffer, void> {
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > most) throw tooMuch(most);
    yield chunk;
  }
}

async function* joined(start: Buffer, rest: AsyncGenerator<Buffer, void>): AsyncGenerator<Buffer, void> {
  yield start;
  yield* rest;
}

function noPack(reason: string): SandboxError {
  return new SandboxError("git_failed", `what the sandbox sent holds no pack of objects: ${reason}`, {
    remedy: "look at the repository inside with `git fsck`; nothing was fetched",
  });
}

function tooMuch(most: number): SandboxError {
  return new SandboxError(
    "git_failed",
    `the sandbox sent more than the ${most} bytes that a fetch may have`,
    {
      remedy: "take large files out of the history inside, or raise the limit; nothing was fetched",
    },
  );
}
