import { ansiSpans, foundIn } from "./ansi-spans.ts";
import { classes } from "./classes.ts";

interface AnsiProps {
  text: string;
  /** What is marked in it. */
  search?: string;
}

/** What a program printed for a terminal: its colours are kept, and everything else that it asked for is not. */
export function Ansi({ text, search = "" }: AnsiProps) {
  return foundIn(ansiSpans(text), search).map(({ text: part, className, found }, index) => {
    if (className === "" && !found) return part;
    const Tag = found ? "mark" : "span";
    return (
      <Tag
        // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text have no other name than their place
        key={index}
        className={found ? classes(className || "text-blocked", "rounded-md bg-blocked-tint") : className}
      >
        {part}
      </Tag>
    );
  });
}
