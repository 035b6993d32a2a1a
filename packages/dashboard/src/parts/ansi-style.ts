/** How a terminal draws what follows: colours are one of its eight, by their number. */
export interface AnsiStyle {
  colour: number | undefined;
  background: number | undefined;
  bold: boolean;
  dim: boolean;
  underline: boolean;
  inverse: boolean;
}

export const plain: AnsiStyle = {
  colour: undefined,
  background: undefined,
  bold: false,
  dim: false,
  underline: false,
  inverse: false,
};

/** The eight colours of a terminal, in ours, which can be read in light and in dark. */
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

const backgrounds = [
  "bg-sunken",
  "bg-failed-tint",
  "bg-done-tint",
  "bg-blocked-tint",
  "bg-running-tint",
  "bg-brand-tint",
  "bg-queued-tint",
  "bg-hover",
] as const;

const white = 7;

/** The style after a sequence with these codes, as `1;31` or `38;5;196`. */
export function styled(style: AnsiStyle, codes: string): AnsiStyle {
  const numbers = codes.split(/[;:]/).map(Number);
  let next = style;
  for (let index = 0; index < numbers.length; index += 1) {
    const code = numbers[index] ?? 0;
    if (code !== 38 && code !== 48) {
      next = withCode(next, code);
      continue;
    }
    const isIndexed = numbers[index + 1] === 5;
    const colour = isIndexed ? ofIndex(numbers[index + 2]) : ofRgb(numbers.slice(index + 2, index + 5));
    next = code === 38 ? { ...next, colour } : { ...next, background: colour };
    index += isIndexed ? 2 : 4;
  }
  return next;
}

export function classOf({ colour, background, bold, dim, underline, inverse }: AnsiStyle): string {
  const behind = inverse ? (colour ?? white) : background;
  // What was the background becomes the text only where there was one: ours is readable on every tint.
  const front = inverse ? (background ?? colour) : colour;
  return [
    front === undefined ? "" : colours[front],
    behind === undefined ? "" : backgrounds[behind],
    bold && "font-semibold",
    dim && "opacity-70",
    underline && "underline",
  ]
    .filter(Boolean)
    .join(" ");
}

/** A sequence that brings a terminal from nothing to this style; empty for none. */
export function openerOf({ colour, background, bold, dim, underline, inverse }: AnsiStyle): string {
  const codes = [
    ...(bold ? [1] : []),
    ...(dim ? [2] : []),
    ...(underline ? [4] : []),
    ...(inverse ? [7] : []),
    ...(colour === undefined ? [] : [30 + colour]),
    ...(background === undefined ? [] : [40 + background]),
  ];
  return codes.length === 0 ? "" : `\u001b[${codes.join(";")}m`;
}

function withCode(style: AnsiStyle, code: number): AnsiStyle {
  if (code === 0) return plain;
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 4) return { ...style, underline: true };
  if (code === 7) return { ...style, inverse: true };
  if (code === 22) return { ...style, bold: false, dim: false };
  if (code === 24) return { ...style, underline: false };
  if (code === 27) return { ...style, inverse: false };
  if (code === 39) return { ...style, colour: undefined };
  if (code === 49) return { ...style, background: undefined };
  // 30 to 37 and, brighter, 90 to 97; 40 to 47 and 100 to 107 for what is behind.
  const [tens, ones] = [Math.floor(code / 10), code % 10];
  if (ones > white) return style;
  if (tens === 3 || tens === 9) return { ...style, colour: ones };
  return tens === 4 || tens === 10 ? { ...style, background: ones } : style;
}

/** Of 256: the eight, the same brighter, a cube of six steps each way, and greys. */
function ofIndex(index: number | undefined): number | undefined {
  if (index === undefined || Number.isNaN(index)) return undefined;
  if (index < 16) return index % 8;
  if (index >= 232) return ofGrey(8 + (index - 232) * 10);
  const step = index - 16;
  const parts = [Math.floor(step / 36), Math.floor(step / 6) % 6, step % 6];
  return ofRgb(parts.map((part) => (part === 0 ? 0 : 55 + part * 40)));
}

/** Red, yellow, green, cyan, blue and magenta, as they follow each other around the wheel. */
const wheel = [1, 3, 2, 6, 4, 5] as const;

/** Less apart than this, the three make a grey. */
const greyWidth = 40;

/** The nearest of the eight by its hue. */
function ofRgb([red = 0, green = 0, blue = 0]: readonly number[]): number | undefined {
  const high = Math.max(red, green, blue);
  const width = high - Math.min(red, green, blue);
  if (width < greyWidth) return ofGrey(high);
  return wheel[(Math.round(hueOf({ red, green, blue, high, width })) + 6) % 6];
}

/** From −1 to 5, a step for each colour of the wheel. */
function hueOf({
  red,
  green,
  blue,
  high,
  width,
}: Record<"red" | "green" | "blue" | "high" | "width", number>) {
  if (high === red) return (green - blue) / width;
  return high === green ? 2 + (blue - red) / width : 4 + (red - green) / width;
}

function ofGrey(level: number): number {
  return level < 144 ? 0 : white;
}
