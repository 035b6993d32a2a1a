import { confirm, isCancel } from "@clack/prompts";
import type { Surroundings } from "../program/surroundings.ts";

/** Asks a person. Where nobody sits at a terminal the answer is no, at once: a script is never kept waiting. */
export async function confirmed(question: string, { stdin, stderr }: Surroundings): Promise<boolean> {
  if (!stdin.isTTY || !stderr.isTTY) return false;
  const answer = await confirm({ message: question, initialValue: false, output: process.stderr });
  return !isCancel(answer) && answer;
}
