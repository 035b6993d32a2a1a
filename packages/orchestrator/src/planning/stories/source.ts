import type { z } from "zod";
import { OrchestratorError } from "../../errors.ts";

/** Stories as they stand in a file, read but not checked, and where each part of them stands. */
export interface StorySource {
  summary: string;
  stories: readonly SourceStory[];
  /** Names of stories that are done already: whoever needs one has it. */
  done: ReadonlySet<string>;
}

export interface SourceStory {
  value: unknown;
  /** The line of a part of it; of the story itself where that has none. */
  lineOf(path: readonly PropertyKey[]): number;
}

export interface StoryProblem {
  /** null: it is about the whole. */
  line: number | null;
  text: string;
}

/** So many are told; whoever has mended those has usually mended the rest. */
const toldProblems = 10;

/** What is wrong with a story file, each with its line, and where its form is described. */
export function storiesRefused(file: string | null, problems: readonly StoryProblem[]): OrchestratorError {
  const where = file ?? "the stories";
  const told = problems.slice(0, toldProblems).map(({ line, text }) => {
    return line === null ? text : `line ${line}: ${text}`;
  });
  if (problems.length > toldProblems) told.push(`and ${problems.length - toldProblems} more`);
  return new OrchestratorError("plan_invalid", `${where}: ${told.join("; ")}`, {
    remedy: "correct the file; docs/stories.md shows each form with an example",
  });
}

/** Where a trouble is: a word that nobody knows, at that word. */
export function placeOf(issue: z.core.$ZodIssue): readonly PropertyKey[] {
  return issue.code === "unrecognized_keys" ? [...issue.path, ...issue.keys.slice(0, 1)] : issue.path;
}
