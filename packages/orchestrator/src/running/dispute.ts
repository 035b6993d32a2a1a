import type { Sandbox } from "@opentiger/sandbox";
import { z } from "zod";
import { disputeFile, sayInside } from "./inside.ts";
import type { StartPoint } from "./start-point.ts";
import type { Work } from "./work.ts";

/** Of what is written: whoever has more to say does not know what is wrong. */
const longest = 20_000;

const readFile = `if [ -f "$1" ]; then head -c ${longest} "$1"; fi`;

/** Why the worker thinks a test wrong that was written for it; null where it does not. */
export async function disputeIn(
  work: Work,
  sandbox: Sandbox,
  { locked }: StartPoint,
): Promise<string | null> {
  const shape = z.object({ text: z.string().nullable() });
  const { text } = await work.journal.step("dispute", shape, async () => {
    if (locked.length === 0) return { text: null };
    const { stdout } = await sayInside(work, sandbox, readFile, { words: [disputeFile(sandbox)] });
    return { text: stdout.trim() === "" ? null : work.redact(stdout.trim()) };
  });
  await forgetDispute(work, sandbox);
  return text;
}

/** It is no part of the work, and says nothing about the next run. */
export async function forgetDispute(work: Pick<Work, "signal">, sandbox: Sandbox): Promise<void> {
  await sayInside(work, sandbox, 'rm -f -- "$1"', { words: [disputeFile(sandbox)] });
}
