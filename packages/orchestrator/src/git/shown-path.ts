import { bytesOf, isOddName } from "./path-bytes.ts";

/** A path as it can be printed and stored: what is not printable, or no UTF-8, stands there as `\x1b`. */
export function shownPath(path: string): string {
  const plain = isOddName(path) ? bytesOf(path).toString("latin1") : path;
  return plain.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from(Buffer.from(character), (byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join(""),
  );
}
