export interface Span {
  text: string;
  /** Empty: as the text around it. */
  className: string;
}

/** Sequences of a terminal: those with colours, all others that begin the same, titles and links, and single ones. */
const sequence =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /\u001b\[([0-9;:]*)m|\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b./g;

/** Bell, backspace and their like are not drawn; what comes after a lone carriage return wrote over what was before. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const unseen = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u0080-\u009f]/g;

/** The eight colours of a terminal, in ours. */
const colours = [
  "text-faint",
  "text-failed",
  "text-done",
  "text-blocked",
  "text-running",
  "text-brand-text",
  "text-queued",
  "text-ink",
] as const;

interface Style {
  colour: string;
  bold: boolean;
  dim: boolean;
  underline: boolean;
}

const plain: Style = { colour: "", bold: false, dim: false, underline: false };

/** A text with what a terminal would make of its colours. Nothing of it is ever anything but text. */
export function ansiSpans(text: string): Span[] {
  const spans: Span[] = [];
  let style = plain;
  let from = 0;
  const add = (part: string) => {
    const seen = overwritten(part).replaceAll(unseen, "");
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

/** The same without any colour, to be searched. */
export function withoutAnsi(text: string): string {
  return overwritten(text.replaceAll(sequence, "")).replaceAll(unseen, "");
}

function overwritten(part: string): string {
  return part.replaceAll("\r\n", "\n").replaceAll(/[^\n]*\r(?!\n)/g, "");
}

function styled(style: Style, codes: string): Style {
  const numbers = codes.split(/[;:]/).map(Number);
  let next = style;
  for (let index = 0; index < numbers.length; index += 1) {
    const code = numbers[index] ?? 0;
    // Of the colours beyond the eight only their length is known here: 38;5;N and 38;2;R;G;B.
    if (code === 38 || code === 48) index += numbers[index + 1] === 5 ? 2 : 4;
    else next = withCode(next, code);
  }
  return next;
}

function withCode(style: Style, code: number): Style {
  if (code === 0) return plain;
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 4) return { ...style, underline: true };
  if (code === 22) return { ...style, bold: false, dim: false };
  if (code === 24) return { ...style, underline: false };
  if (code === 39) return { ...style, colour: "" };
  const colour = colours[code >= 90 ? code - 90 : code - 30];
  return colour === undefined || (code > 37 && code < 90) ? style : { ...style, colour };
}

function classOf({ colour, bold, dim, underline }: Style): string {
  return [colour, bold && "font-semibold", dim && "opacity-70", underline && "underline"]
    .filter(Boolean)
    .join(" ");
}
