import { firstCharacters } from "@opentiger/schema";

const esc = String.fromCharCode(0x1b);
const bell = String.fromCharCode(0x07);

/** Escape sequences of terminals: CSI, OSC and its kin where they have an end, and the short ones. */
const escapes = new RegExp(
  [
    `${esc}\\[[0-?]*[ -/]*[@-~]`,
    `${esc}[\\]PX^_][^${esc}${bell}]*(?:${bell}|${esc}\\\\)`,
    `${esc}[ -/]*[0-~]`,
  ].join("|"),
  "g",
);

/** All control characters but tab and newline. */
const controls = /[^\P{Cc}\t\n]/gu;
const halves = /\p{Surrogate}/gu;
const suspect = /[^\P{Cc}\t\n]|\p{Surrogate}/u;

/**
 * Text as it may stand in an event: no escape sequence, no control character but tab and newline, no half of a
 * character. So it can be shown anywhere, and stored in a database that takes no NUL.
 */
export function plainText(text: string): string {
  if (!suspect.test(text)) return text;
  return text
    .replaceAll(escapes, "")
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(controls, "")
    .replaceAll(halves, "\ufffd");
}

/** At most so many characters, with a word about what is missing; never half a character. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const beginning = firstCharacters(text, limit);
  return `${beginning}… [${text.length - beginning.length} more characters]`;
}

/** The same value with every string in it changed so, names too. */
export function withTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((one) => withTexts(one, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, held]) => [change(name), withTexts(held, change)] as const),
  );
}
