import { classOf, openerOf, plain, styled } from "./ansi-style.ts";
import { writtenOut } from "./written-out.ts";

export interface Span {
  text: string;
  /** Empty: as the text around it. */
  className: string;
  /** It is what was searched for. */
  found?: boolean;
}

/** Sequences of a terminal: those with colours, all others that begin the same, titles and links, and single ones. */
const sequence =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /\u001b\[([0-9;:]*)m|\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b./g;

/** Bell, backspace and their like are not drawn; what comes after a lone carriage return wrote over what was before. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const unseen = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u0080-\u009f]/g;

/** A text with what a terminal would make of its colours. Nothing of it is ever anything but text. */
export function ansiSpans(text: string): Span[] {
  const spans: Span[] = [];
  let style = plain;
  let from = 0;
  const add = (part: string) => {
    const seen = drawn(part);
    if (seen !== "") spans.push({ text: seen, className: classOf(style) });
  };
  for (const match of text.matchAll(sequence)) {
    add(text.slice(from, match.index));
    from = match.index + match[0].length;
    if (match[1] !== undefined) style = styled(style, match[1]);
  }
  add(text.slice(from));
  return spans;
}

/** The lines of a text, each of which begins with the colours that the one before it has left on. */
export function ansiLines(text: string): string[] {
  let style = plain;
  return text
    .replace(/\n+$/, "")
    .split("\n")
    .map((line) => {
      const begun = openerOf(style) + line;
      if (!line.includes("\u001b")) return begun;
      for (const match of line.matchAll(sequence))
        if (match[1] !== undefined) style = styled(style, match[1]);
      return begun;
    });
}

/** The same spans, cut where what is searched for begins and ends, also where it reaches over several. */
export function foundIn(spans: readonly Span[], search: string): Span[] {
  const asked = search.trim().toLowerCase();
  if (asked === "") return [...spans];
  const whole = spans
    .map(({ text }) => text)
    .join("")
    .toLowerCase();
  const cut: Span[] = [];
  let place = 0;
  let at = whole.indexOf(asked);
  for (const { text, className } of spans) {
    const end = place + text.length;
    for (let from = place; from < end; ) {
      while (at >= 0 && at + asked.length <= from) at = whole.indexOf(asked, at + asked.length);
      const isFound = at >= 0 && at <= from;
      const limit = isFound ? at + asked.length : at;
      const to = at < 0 ? end : Math.min(limit, end);
      cut.push({
        text: text.slice(from - place, to - place),
        className,
        ...(isFound ? { found: true } : {}),
      });
      from = to;
    }
    place = end;
  }
  return cut;
}

/** The same without any colour, to be searched. */
export function withoutAnsi(text: string): string {
  return drawn(text.replaceAll(sequence, ""));
}

function drawn(part: string): string {
  return writtenOut(overwritten(part).replaceAll(unseen, ""));
}

function overwritten(part: string): string {
  return part.replaceAll("\r\n", "\n").replaceAll(/[^\n]*\r(?!\n)/g, "");
}
