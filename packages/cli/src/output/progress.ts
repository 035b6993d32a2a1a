import type { Surroundings } from "../program/surroundings.ts";
import { coloursFor } from "./colours.ts";

export interface Progress {
  line(text: string): void;
  /** Takes away what is of no interest any more. */
  end(): void;
}

/**
 * Shows what a long step is doing, on stderr: on a terminal one line that changes, elsewhere a line each, and
 * nothing at all where only results are wanted.
 */
export function progressOn(surroundings: Surroundings, options: { json?: true; quiet?: true }): Progress {
  const { stderr, env } = surroundings;
  if (options.json || options.quiet) return { line: () => {}, end: () => {} };
  if (!stderr.isTTY || env["TERM"] === "dumb")
    return { line: (text) => void stderr.write(`${text}\n`), end: () => {} };
  const colours = coloursFor(stderr, env);
  return {
    line: (text) => void stderr.write(`${clear}${colours.dim(fit(text, stderr.columns))}`),
    end: () => void stderr.write(clear),
  };
}

const clear = "\r\u001b[2K";

/** A line that wraps could not be taken away again. */
function fit(text: string, columns = 80): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length < columns ? line : `${line.slice(0, columns - 2)}…`;
}
