import { createHash } from "node:crypto";

/** As long as an exec's id may be. */
const maxLength = 64;

/** An id for an exec, the same for the same words: whoever takes over finds the exec that was started before. */
export function execId(...words: readonly (string | number)[]): string {
  const id = words.join("-").replaceAll(/[^A-Za-z0-9_-]/g, "_");
  if (id.length >= 8 && id.length <= maxLength) return id;
  const digest = createHash("sha256").update(words.join("\0")).digest("hex").slice(0, 24);
  return `${id.slice(0, maxLength - digest.length - 1)}-${digest}`;
}
