import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";

export interface Pouring {
  /** Stops asking the source. Not waited for: one that is itself waiting, like a terminal, would keep us here. */
  letGo(): void;
  /** Why the source failed, if it did. */
  sourceError(): Error | undefined;
}

/**
 * Pipes a source into the input of a command, no faster than it is taken. When the source itself fails, `failed`
 * is called to end the command: it must not take a part for the whole. When the command stops reading, the
 * source is let go; the command's exit says why.
 */
export function pour(source: AsyncIterable<Buffer>, input: Writable, failed: () => void): Pouring {
  let failure: Error | undefined;
  const over = new AbortController();
  const readable = Readable.from(watched(source, (error) => (failure = asError(error))));
  void pipeline(readable, input, { signal: over.signal }).catch(() => {
    if (failure !== undefined) failed();
  });
  return { letGo: () => over.abort(), sourceError: () => failure };
}

/** Tells failures of the source itself from those that the pipe throws into it. */
async function* watched(
  source: AsyncIterable<Buffer>,
  failed: (error: unknown) => void,
): AsyncGenerator<Buffer> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    for (let step = await next(iterator, failed); !step.done; step = await next(iterator, failed))
      yield step.value;
  } finally {
    await iterator.return?.();
  }
}

async function next(
  iterator: AsyncIterator<Buffer>,
  failed: (error: unknown) => void,
): Promise<IteratorResult<Buffer>> {
  try {
    return await iterator.next();
  } catch (error) {
    failed(error);
    throw error;
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
