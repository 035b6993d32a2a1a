import { type SourceStory, type StoryProblem, type StorySource, storiesRefused } from "./source.ts";
import { keyOf } from "./story.ts";

/** `- [ ] Title`, not indented; also with `*`, `+` or a number. */
const item = /^(?:[-*+]|\d{1,3}[.)])[ \t]+\[([ xX])\][ \t]*(.*)$/;
const fence = /^\s*(?:```|~~~)/;
const heading = /^#{1,6}\s/;
const listItem = /^(?:[-*+]|\d{1,3}[.)])\s/;

/** `- needs: one, two`, below a title: with or without the dash. */
const attribute = /^(?:[-*+][ \t]+)?([A-Za-z]+):(?:[ \t]+(.*))?$/;

/** How each is written: one value, or several between commas; a command may have commas, and each has its own line. */
const attributes = {
  key: "one",
  role: "one",
  risk: "one",
  estimate: "one",
  needs: "list",
  allowedPaths: "list",
  mayChange: "list",
  verify: "line",
} as const;

interface Open {
  line: number;
  checked: boolean;
  title: string;
  values: Record<string, unknown>;
  lines: Map<string, number>;
  text: string[];
}

/**
 * Stories as a Markdown checklist: each box that is not indented is one, what is indented below belongs to it, and
 * whatever else stands there is the summary. A box that is checked is done already.
 */
export function readChecklist(text: string, file: string | null): StorySource {
  const summary: string[] = [];
  const stories: Open[] = [];
  let open: Open | undefined;
  let fenced = false;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const box = fenced ? null : item.exec(line);
    if (box) {
      open = { line: index + 1, checked: box[1] !== " ", title: (box[2] ?? "").trim(), ...empty() };
      stories.push(open);
      continue;
    }
    if (open && !fenced && !belongs(line, open)) open = undefined;
    if (fence.test(line)) fenced = !fenced;
    if (!open) summary.push(line);
    else if (fenced || !readAttribute(open, line.trim(), index + 1)) open.text.push(line);
  }
  const problems = problemsOf(stories);
  if (problems.length > 0) throw storiesRefused(file, problems);
  const done = stories.filter(({ checked }) => checked);
  return {
    summary: summary.join("\n").trim(),
    stories: stories.filter(({ checked }) => !checked).map(sourceStory),
    done: new Set(done.flatMap(namesOf)),
  };
}

/** By which others need it. */
function namesOf({ title, values: { key } }: Open): string[] {
  return [title, typeof key === "string" ? key : keyOf(title)];
}

function empty(): Pick<Open, "values" | "lines" | "text"> {
  return { values: {}, lines: new Map(), text: [] };
}

/** Indented, or without a line between, as Markdown has it. */
function belongs(line: string, { text }: Open): boolean {
  if (line.trim() === "" || /^(?: {2}|\t)/.test(line)) return true;
  return text.at(-1)?.trim() !== "" && !heading.test(line) && !listItem.test(line) && !fence.test(line);
}

/** Whether it was one. */
function readAttribute(story: Open, line: string, number: number): boolean {
  const [, name = "", written = ""] = attribute.exec(line) ?? [];
  if (!isAttribute(name)) return false;
  const kind = attributes[name];
  const value = written.trim();
  story.lines.set(name, number);
  if (kind === "one") story.values[name] = unquoted(value);
  else if (kind === "list") story.values[name] = value.split(",").map(unquoted).filter(Boolean);
  else story.values[name] = [...[story.values[name] ?? []].flat(), unquoted(value)];
  return true;
}

function isAttribute(name: string): name is keyof typeof attributes {
  return Object.hasOwn(attributes, name);
}

/** Between backticks nothing is taken for Markdown; they are not part of it. */
function unquoted(value: string): string {
  return value.trim().replace(/^`(.*)`$/, "$1");
}

function sourceStory({ line, title, values, lines, text }: Open): SourceStory {
  const instructions = outdented(text).trim();
  return {
    value: { title, ...values, ...(instructions === "" ? {} : { instructions }) },
    lineOf: ([name]) => lines.get(String(name)) ?? line,
  };
}

/** Without the indentation that all of it has. */
function outdented(lines: readonly string[]): string {
  const depths = lines
    .filter((line) => line.trim() !== "")
    .map((line) => /^[ \t]*/.exec(line)?.[0].length ?? 0);
  const depth = depths.length === 0 ? 0 : Math.min(...depths);
  return lines.map((line) => line.slice(Math.min(depth, line.length))).join("\n");
}

function problemsOf(stories: readonly Open[]): StoryProblem[] {
  if (stories.length === 0)
    return [{ line: null, text: "there is no checklist in it: a story begins with `- [ ] `" }];
  if (stories.every(({ checked }) => checked))
    return [{ line: null, text: "all its boxes are checked: there is nothing to do" }];
  return stories.flatMap(({ line, title }) =>
    title === "" ? [{ line, text: "the story has no title" }] : [],
  );
}
