import { createReadStream, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { OutputStream } from "../program/surroundings.ts";

export interface FollowLogOptions {
  /** Go on with what is written later, until somebody ends us. */
  follow?: boolean | undefined;
  /** Each line as an object of its own. */
  json?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** A person sees no delay in this; nobody writes much meanwhile. */
const pollMs = 250;

/** Writes what a process of ours has written. A log that is not there yet, or was emptied because it had become long, is no error. */
export async function followLog(
  path: string,
  out: OutputStream,
  { follow = false, json = false, signal }: FollowLogOptions = {},
): Promise<void> {
  const write = json ? asLines(out) : (text: string) => void out.write(text);
  for (let from = 0; ; ) {
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size < from) from = 0;
    if (size > from) {
      const chunks = createReadStream(path, { start: from, end: size - 1, encoding: "utf8" });
      // Node types the chunks of a stream with an encoding as any; they are strings.
      for await (const text of chunks as AsyncIterable<string>) write(text);
      from = size;
    }
    if (!follow || signal?.aborted) return;
    await sleep(pollMs, undefined, { signal }).catch(() => {});
  }
}

/** What has no end yet waits for it. */
function asLines(out: OutputStream): (text: string) => void {
  let begun = "";
  return (text) => {
    const lines = (begun + text).split("\n");
    begun = lines.pop() ?? "";
    for (const line of lines) out.write(`${JSON.stringify({ line })}\n`);
  };
}
