import { plan } from "@opentiger/schema";
import { isCollection, isNode, LineCounter, type Node, parseDocument } from "yaml";
import { z } from "zod";
import { placeOf, type SourceStory, type StoryProblem, type StorySource, storiesRefused } from "./source.ts";

/** Of what stands around the stories. `tasks` is what a plan calls them, so that one that was shown can be given back. */
const around = z.strictObject({
  summary: plan.shape.summary.default(""),
  stories: z.array(z.unknown()).optional(),
  tasks: z.array(z.unknown()).optional(),
});

/** Stories in YAML, and in JSON, which is YAML too: a list of them, or an object that has one. */
export function readData(text: string, file: string | null): StorySource {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  const wrong = [...document.errors, ...document.warnings].map(
    ({ message, pos }): StoryProblem => ({
      line: lines.linePos(pos[0]).line,
      text: firstLine(message),
    }),
  );
  if (wrong.length > 0) throw storiesRefused(file, wrong);
  const at = (path: readonly PropertyKey[]): number => {
    const start = nodeAt(document.contents, path)?.range?.[0];
    return start === undefined ? 1 : lines.linePos(start).line;
  };
  const value = plainValue(() => document.toJS(), file);
  if (Array.isArray(value)) return { summary: "", stories: located(value, [], at), done: new Set() };
  return { ...readObject(value, file, at), done: new Set() };
}

type LineOf = SourceStory["lineOf"];

function readObject(value: unknown, file: string | null, at: LineOf): Omit<StorySource, "done"> {
  if (typeof value !== "object" || value === null)
    throw storiesRefused(file, [{ line: null, text: "it holds no stories, but only words" }]);
  if ("id" in value && "plan" in value) throw wholeLoop(value.id, file);
  const parsed = around.safeParse(value);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => ({ line: at(placeOf(issue)), text: issue.message }));
    throw storiesRefused(file, problems);
  }
  const { summary, stories, tasks } = parsed.data;
  const name = stories === undefined ? "tasks" : "stories";
  const list = stories ?? tasks;
  if (list === undefined || (stories && tasks)) {
    throw storiesRefused(file, [{ line: null, text: "there must be one list of stories, called stories" }]);
  }
  return { summary, stories: located(list, [name], at) };
}

/** All that `loop show --json` says has tasks, too: which of both was edited nobody knows. */
function wholeLoop(id: unknown, file: string | null): Error {
  const shown = `opentiger loop show ${String(id)} --json | jq .plan`;
  const text = `this is a whole loop: give only its plan, as \`${shown}\` prints it`;
  return storiesRefused(file, [{ line: null, text }]);
}

function located(values: readonly unknown[], above: readonly string[], at: LineOf): SourceStory[] {
  return values.map((value, index) => ({ value, lineOf: (path) => at([...above, index, ...path]) }));
}

/** The innermost one on the way that has a place. */
function nodeAt(top: Node | null, path: readonly PropertyKey[]): Node | undefined {
  let node: Node | undefined = top ?? undefined;
  for (const part of path) {
    const inner: unknown = isCollection(node) ? node.get(part, true) : undefined;
    if (!isNode(inner)) break;
    node = inner;
  }
  return node;
}

/** Aliases that would grow without end are refused by the parser, here. */
function plainValue(read: () => unknown, file: string | null): unknown {
  try {
    return read();
  } catch (error) {
    throw storiesRefused(file, [{ line: null, text: firstLine(String(error)) }]);
  }
}

function firstLine(message: string): string {
  return (message.split("\n")[0] ?? message).replace(/ at line \d+, column \d+:?$/, "");
}
