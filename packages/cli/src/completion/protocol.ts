import type { Completion } from "./candidates.ts";

/**
 * The lines that docker's own completion expects of a plugin, and our shell scripts too: a candidate and its
 * description with a tab between, and at the end what else the shell may offer (cobra's directives).
 */
export function renderCompletion({ candidates, files }: Completion): string {
  const lines = candidates.map(({ value, description }) =>
    description ? `${value}\t${description}` : value,
  );
  return `${[...lines, `:${files ? directive.offerFiles : directive.noFiles}`].join("\n")}\n`;
}

const directive = { offerFiles: 0, noFiles: 4 } as const;

/** The word with which docker and the scripts below ask. */
export const completeWord = "__complete";
