import { createHash } from "node:crypto";
import { plainText } from "./plain-text.ts";

/** Between a file and a test in it, and between a suite and what is in it. */
export const nameSeparator = " > ";

/** Longer ones end in a digest, so that two of them stay two. */
const maxName = 500;

/** A name on one line, without control characters, of a bounded length. Two that differ stay different. */
export function plainName(name: string): string {
  const plain = plainText(name.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ")).trim();
  return plainText(cut(plain, maxName));
}

/**
 * What stands in front of the names of many tests, before it is put there: of a suite, or a file. Else one long name would
 * be worked through once for each of them. Two that differ stay different.
 */
export function sharedName(name: string): string {
  return cut(name, 2 * maxName);
}

/** The name of a test in a round: with its file in front, where that is known. */
export function fullName({ file, name }: { file: string | null; name: string }): string {
  return file === null || name.startsWith(file + nameSeparator) ? name : `${file}${nameSeparator}${name}`;
}

/** What stands in front, where files do. */
export function fileOf(fullName: string): string | undefined {
  const at = fullName.indexOf(nameSeparator);
  return at < 0 ? undefined : fullName.slice(0, at);
}

function cut(name: string, most: number): string {
  if (name.length <= most) return name;
  const digest = createHash("sha256").update(name).digest("hex").slice(0, 16);
  return `${name.slice(0, most)}… ${digest}`;
}
