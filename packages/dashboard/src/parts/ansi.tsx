import { ansiSpans } from "./ansi-spans.ts";

/** What a program printed for a terminal: its colours are kept, and everything else that it asked for is not. */
export function Ansi({ text }: { text: string }) {
  return ansiSpans(text).map(({ text: part, className }, index) =>
    className === "" ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text have no other name than their place
      <span key={index} className={className}>
        {part}
      </span>
    ),
  );
}
