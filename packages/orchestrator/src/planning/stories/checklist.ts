import {
  attributeIn,
  attributeValue,
  isAttribute,
  isNearlyAttribute,
  isSaidOnce,
  notAnAttribute,
} from "./attribute.ts";
import { Fence, opensFence } from "./fence.ts";
import { type SourceStory, type StoryProblem, type StorySource, storiesRefused } from "./source.ts";
import { keyOf } from "./story.ts";

/** `- [ ] Title`, not indented; also with `*`, `+` or a number. */
const item = /^(?:[-*+]|\d{1,3}[.)])[ \t]+\[([ xX])\][ \t]*(.*)$/;
const heading = /^#{1,6}\s/;
const listItem = /^(?:[-*+]|\d{1,3}[.)])\s/;

interface Open {
  line: number;
  checked: boolean;
  title: string;
  values: Record<string, unknown>;
  lines: Map<string, number>;
  text: string[];
  wrong: StoryProblem[];
}

/**
 * Stories as a Markdown checklist: each box that is not indented is one, what is indented below belongs to it, and
 * whatever else stands there is the summary. A box that is checked is done already.
 */
export function readChecklist(text: string, file: string | null): StorySource {
  const summary: string[] = [];
  const stories: Open[] = [];
  let open: Open | undefined;
  const fence = new Fence();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const wasCode = fence.isOpen;
    const box = wasCode ? null : item.exec(line);
    if (box) {
      open = { line: index + 1, checked: box[1] !== " ", title: (box[2] ?? "").trim(), ...empty() };
      stories.push(open);
      continue;
    }
    if (open && !wasCode && !belongs(line, open)) open = undefined;
    fence.read(line, index + 1);
    if (!open) summary.push(line);
    else if (wasCode || fence.isOpen || !readAttribute(open, line.trim(), index + 1)) open.text.push(line);
  }
  const problems = [...unclosed(fence), ...problemsOf(stories)];
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

function empty(): Pick<Open, "values" | "lines" | "text" | "wrong"> {
  return { values: {}, lines: new Map(), text: [], wrong: [] };
}

/** Indented, or without a line between, as Markdown has it. */
function belongs(line: string, { text }: Open): boolean {
  if (line.trim() === "" || /^(?: {2}|\t)/.test(line)) return true;
  return text.at(-1)?.trim() !== "" && !heading.test(line) && !listItem.test(line) && !opensFence(line);
}

/** Whether it was one. */
function readAttribute(story: Open, line: string, number: number): boolean {
  const said = attributeIn(line);
  if (!said) return false;
  const { name, written } = said;
  if (isAttribute(name)) {
    if (isSaidOnce(name) && story.lines.has(name))
      story.wrong.push({ line: number, text: `${name} is said twice` });
    story.lines.set(name, number);
    story.values[name] = attributeValue(name, written, story.values[name]);
    return true;
  }
  // Right below the title stand words of a story; later on only what is nearly one of them is taken for a slip.
  const slipped = story.text.length === 0 || isNearlyAttribute(name);
  if (slipped) story.wrong.push({ line: number, text: notAnAttribute(name) });
  return slipped;
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

/** Whatever stands behind it was not read as stories. */
function unclosed({ unclosed: line }: Fence): StoryProblem[] {
  return line === undefined ? [] : [{ line, text: "the code that begins here has no end" }];
}

function problemsOf(stories: readonly Open[]): StoryProblem[] {
  if (stories.length === 0)
    return [{ line: null, text: "there is no checklist in it: a story begins with `- [ ] `" }];
  if (stories.every(({ checked }) => checked))
    return [{ line: null, text: "all its boxes are checked: there is nothing to do" }];
  return stories.flatMap(({ line, title, checked, wrong }) => [
    ...(title === "" ? [{ line, text: "the story has no title" }] : []),
    ...(checked ? [] : wrong),
  ]);
}
