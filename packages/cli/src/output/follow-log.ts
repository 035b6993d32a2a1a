import { setTimeout as sleep } from "node:timers/promises";
import type { OutputStream } from "../program/surroundings.ts";
import { LogTail, linewise } from "./log-tail.ts";

export interface FollowLogOptions {
  /** Go on with what is written later, until somebody ends us. */
  follow?: boolean | undefined;
  /** Each line as an object of its own. */
  json?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** A person sees no delay in this; nobody writes much meanwhile. */
const pollMs = 250;

/** Writes what a process of ours has written. */
export async function followLog(
  path: string,
  out: OutputStream,
  { follow = false, json = false, signal }: FollowLogOptions = {},
): Promise<void> {
  const write = json
    ? linewise((line) => out.write(`${JSON.stringify({ line })}\n`))
    : (text: string) => void out.write(text);
  const tail = new LogTail(path, "beginning");
  for (;;) {
    for await (const text of tail.read()) write(text);
    if (!follow || signal?.aborted) return;
    await sleep(pollMs, undefined, { signal }).catch(() => {});
  }
}
