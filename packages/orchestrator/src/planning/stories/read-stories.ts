import { extname } from "node:path";
import { type Plan, plan } from "@opentiger/schema";
import type { z } from "zod";
import { planProblems } from "../check-plan.ts";
import { readChecklist } from "./checklist.ts";
import { readData } from "./data.ts";
import { placeOf, type SourceStory, type StoryProblem, type StorySource, storiesRefused } from "./source.ts";
import { type Story, story, tasksOf, unclearNeeds } from "./story.ts";

/** A plan of a thousand tasks with a page of words each is not larger. */
const largest = 4_000_000;

type Reader = (text: string, file: string | null) => StorySource;

const readers: Readonly<Record<string, Reader>> = {
  ".json": readData,
  ".yaml": readData,
  ".yml": readData,
  ".md": readChecklist,
  ".markdown": readChecklist,
};

/**
 * The plan that a story file holds: JSON, YAML or a Markdown checklist, by the end of its name, else by how it looks. What
 * cannot be carried out is refused, with the line of each trouble. How many tasks there may be is not looked at here.
 */
export function readStories(text: string, file: string | null): Plan {
  if (text.length > largest) throw storiesRefused(file, [{ line: null, text: "it is too large" }]);
  const read = readers[extname(file ?? "").toLowerCase()] ?? readerFor(text);
  const source = read(text.replace(/^\uFEFF/, ""), file);
  const checked = source.stories.map((each) => ({ each, parsed: story.safeParse(each.value) }));
  const stories: Story[] = [];
  const problems: StoryProblem[] = [];
  for (const { each, parsed } of checked) {
    if (parsed.success) stories.push(parsed.data);
    else problems.push(...parsed.error.issues.map((issue) => inWords(each, issue)));
  }
  const summary = plan.shape.summary.safeParse(source.summary);
  for (const { message } of summary.error?.issues ?? [])
    problems.push({
      line: null,
      text: `the summary, which is all that stands outside of stories: ${message}`,
    });
  if (source.stories.length === 0) problems.push({ line: null, text: "there is no story in it" });
  if (problems.length === 0) problems.push(...unclear(source, stories));
  if (problems.length > 0) throw storiesRefused(file, problems);
  const made = { summary: source.summary, tasks: tasksOf(stories, source.done) };
  const lines = new Map(made.tasks.map(({ key }, index) => [key, source.stories[index]?.lineOf([]) ?? null]));
  const wrong = planProblems(made, { tasks: Number.POSITIVE_INFINITY });
  if (wrong.length === 0) return made;
  const located = wrong.map(({ task, text: said }) => ({ line: lines.get(task ?? "") ?? null, text: said }));
  throw storiesRefused(file, located);
}

/** Of a text without a name: a box makes it a checklist. */
function readerFor(text: string): Reader {
  return /^(?:[-*+]|\d{1,3}[.)])[ \t]+\[[ xX]\]/m.test(text) ? readChecklist : readData;
}

/** Where all stories could be read, and so have the places that they have in the file. */
function unclear({ stories: written, done }: StorySource, stories: readonly Story[]): StoryProblem[] {
  return unclearNeeds(stories, done).map(({ index, need }) => ({
    line: written[index]?.lineOf(["needs"]) ?? null,
    text: `needs: several stories are called ${need}: give each of them a key, and name that`,
  }));
}

function inWords({ lineOf }: SourceStory, issue: z.core.$ZodIssue): StoryProblem {
  const what = issue.path.length === 0 ? "the story" : issue.path.join(".");
  return { line: lineOf(placeOf(issue)), text: `${what}: ${issue.message}` };
}
