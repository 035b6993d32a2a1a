/** Shorter ones would be found by chance in any text. */
export const shortestSecret = 8;

/**
 * Takes known values out of text, each character of one becoming an asterisk. A value is also known as it stands in
 * JSON and in a URL, and one of several lines by each of its lines. Where a text was cut in the middle of a value, what
 * is left of it at the text's end or beginning goes too.
 */
export class Redactor {
  readonly #spellings: readonly string[];

  constructor(values: Iterable<string>) {
    const spellings = new Set([...values].flatMap(linesOf).flatMap(spellingsOf));
    this.#spellings = [...spellings].filter(({ length }) => length >= shortestSecret);
  }

  text(text: string): string {
    const found: Range[] = [];
    for (const spelling of this.#spellings) {
      for (let at = text.indexOf(spelling); at !== -1; at = text.indexOf(spelling, at + 1))
        found.push([at, at + spelling.length]);
      const tail = startOfTail(text, spelling);
      if (tail !== undefined) found.push([tail, text.length]);
      const head = endOfHead(text, spelling);
      if (head !== undefined) found.push([0, head]);
    }
    return masked(text, found);
  }
}

/** From, and to behind the last. */
type Range = [number, number];

/** A key of several lines is printed line by line. */
function linesOf(value: string): string[] {
  return value.includes("\n") ? [value, ...value.split(/\r?\n/)] : [value];
}

function spellingsOf(value: string): string[] {
  const json = inJson(value);
  return [value, json, inJson(json), inUrl(value)];
}

function inJson(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

function inUrl(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    return value; // Half a character has no place in a URL.
  }
}

/** Where the text ends in the middle of the value; undefined where what is left is too little to know. */
function startOfTail(text: string, spelling: string): number | undefined {
  const first = spelling.slice(0, shortestSecret);
  let at = text.indexOf(first, text.length - spelling.length + 1);
  while (at !== -1 && !spelling.startsWith(text.slice(at))) at = text.indexOf(first, at + 1);
  return at === -1 ? undefined : at;
}

/** The same for a text that begins in the middle of it. */
function endOfHead(text: string, spelling: string): number | undefined {
  const last = spelling.slice(-shortestSecret);
  let at = text.lastIndexOf(last, spelling.length - 1 - last.length);
  while (at !== -1 && !spelling.endsWith(text.slice(0, at + last.length)))
    at = at === 0 ? -1 : text.lastIndexOf(last, at - 1);
  return at === -1 ? undefined : at + last.length;
}

function masked(text: string, ranges: readonly Range[]): string {
  if (ranges.length === 0) return text;
  let done = 0;
  let clean = "";
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    if (to <= done) continue;
    const start = Math.max(from, done);
    clean += text.slice(done, start) + "*".repeat(to - start);
    done = to;
  }
  return clean + text.slice(done);
}
