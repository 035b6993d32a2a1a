import { UsageError } from "../errors.ts";

export interface EnvironmentSources {
  /** The words of `-e`: NAME=VALUE, or NAME to take the value from the caller's environment. */
  words: readonly string[];
  /** The contents of the `--env-file`s, in order. */
  files: readonly { path: string; text: string }[];
  caller: Readonly<Record<string, string | undefined>>;
}

/**
 * The variables a command gets, with the rules of `docker exec`: files first, `-e` wins; NAME alone takes the
 * caller's value and is left out where the caller has none; quotes in a file are part of the value.
 */
export function commandEnvironment({ words, files, caller }: EnvironmentSources): Record<string, string> {
  const lines = files.flatMap(({ path, text }) => fileLines(path, text));
  const entries = [...lines, ...words.map((word) => ({ word, where: "-e" }))].map(readEntry);
  const env: Record<string, string> = Object.create(null);
  for (const { name, value } of entries) {
    const wanted = value ?? caller[name];
    if (wanted !== undefined) env[name] = wanted;
  }
  return env;
}

interface Word {
  word: string;
  where: string;
}

function fileLines(path: string, text: string): Word[] {
  return text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .map((line, index) => ({ word: line.trimStart(), where: `${path}:${index + 1}` }))
    .filter(({ word }) => word !== "" && !word.startsWith("#"));
}

function readEntry({ word, where }: Word): { name: string; value: string | undefined } {
  const equals = word.indexOf("=");
  const name = equals < 0 ? word : word.slice(0, equals);
  if (name === "" || /[\s\0]/.test(name) || word.includes("\0")) {
    // The word may hold a secret: the place is named, never the value.
    throw new UsageError(`${where}: a variable is written NAME=VALUE or NAME, and a name has no spaces`);
  }
  return { name, value: equals < 0 ? undefined : word.slice(equals + 1) };
}
