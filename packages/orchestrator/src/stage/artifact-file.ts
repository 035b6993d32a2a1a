import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { writeAtomically } from "@opentiger/sandbox";
import { firstCharacters } from "@opentiger/schema";

const leftOut = "\n(the rest was too much to be kept)\n";

/** Keeps a text for people to read, for the owner alone and within the bound. Returns how many bytes it has. */
export async function keepText(path: string, text: string, maxBytes: number): Promise<number> {
  const isWhole = Buffer.byteLength(text) <= maxBytes;
  return keep(path, isWhole ? text : `${firstBytes(text, maxBytes - Buffer.byteLength(leftOut))}${leftOut}`);
}

/**
 * The same for what programs read too: whatever is left out, it is JSON. The longest texts in it give way first, then
 * the ends of long lists.
 */
export async function keepJson(path: string, value: unknown, maxBytes: number): Promise<number> {
  for (let most = maxBytes; most >= 1; most = Math.floor(most / 2)) {
    const text = JSON.stringify(value, (_key, part: unknown) => shortened(part, most), 2);
    if (Buffer.byteLength(text) <= maxBytes) return keep(path, text);
  }
  return keep(path, "null");
}

async function keep(path: string, text: string): Promise<number> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  writeAtomically(path, text);
  return (await stat(path)).size;
}

/** Never half of a character. */
function firstBytes(text: string, most: number): string {
  return Buffer.from(text)
    .subarray(0, most)
    .toString("utf8")
    .replace(/\ufffd$/, "");
}

function shortened(part: unknown, most: number): unknown {
  if (typeof part === "string" && part.length > most)
    return `${firstCharacters(part, most)}${leftOut.trimEnd()}`;
  // A list is shortened only when texts of this length have not been enough.
  if (Array.isArray(part) && part.length > most) return part.slice(0, most);
  return part;
}
