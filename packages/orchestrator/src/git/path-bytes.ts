import { isUtf8 } from "node:buffer";

/**
 * Names of files are bytes, and old repositories have some that are no UTF-8. Here they are strings all the same: a
 * byte that does not fit becomes a lone surrogate (U+DC80 to U+DCFF), and comes back as the byte that it was.
 */
export function pathOf(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString("utf8");
  let path = "";
  for (let at = 0; at < bytes.length; ) {
    const length = characterAt(bytes, at);
    path += length ? bytes.toString("utf8", at, at + length) : String.fromCharCode(0xdc00 + (bytes[at] ?? 0));
    at += length ?? 1;
  }
  return path;
}

export function bytesOf(path: string): Buffer {
  if (!isOddName(path)) return Buffer.from(path);
  const parts = Array.from(path, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code >= 0xdc80 && code <= 0xdcff ? Buffer.from([code - 0xdc00]) : Buffer.from(character);
  });
  return Buffer.concat(parts);
}

/** Whether a name is no UTF-8. No program can be given such a one as an argument from here. */
export function isOddName(path: string): boolean {
  return /\p{Cs}/u.test(path);
}

/** How many bytes the character that begins here has; undefined where none does. */
function characterAt(bytes: Buffer, at: number): number | undefined {
  return [1, 2, 3, 4].find(
    (length) => at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length)),
  );
}
