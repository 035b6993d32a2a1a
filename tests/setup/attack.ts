import { readFileSync } from "node:fs";
import { extname } from "node:path";
import type { Place } from "./place.ts";

const interpreters: Record<string, readonly string[]> = {
  ".mjs": ["node", "--input-type=module", "--eval"],
  ".py": ["python3", "-c"],
  ".sh": ["sh", "-c"],
};

/** Runs one of the programs of `tests/security/attacks` in a place, and gives back the report it prints as JSON. */
export async function attack<T>(place: Place, file: string, ...args: readonly string[]): Promise<T> {
  const { code, stdout, stderr } = await place.run(attackCommand(file, ...args));
  if (code !== 0) throw new Error(`${file} ended with ${code}: ${stderr || stdout}`);
  // The programs are ours, beside the tests that say what they report.
  return JSON.parse(stdout) as T;
}

export function attackCommand(file: string, ...args: readonly string[]): string[] {
  const source = readFileSync(new URL(`../security/attacks/${file}`, import.meta.url), "utf8");
  const interpreter = interpreters[extname(file)];
  if (!interpreter) throw new Error(`nothing runs ${file}`);
  // A shell takes the first word after the script as its own name; so do we, everywhere.
  return [...interpreter, source, ...(extname(file) === ".sh" ? [file] : []), ...args];
}
