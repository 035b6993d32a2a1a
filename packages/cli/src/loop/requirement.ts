import { extname } from "node:path";
import { readStories } from "@opentiger/orchestrator";
import type { LoopSource } from "@opentiger/schema";
import { UsageError } from "../errors.ts";
import { readGiven } from "./plan-file.ts";

export interface RequirementAsked {
  /** The words of the command line. */
  words: readonly string[];
  file: string | undefined;
  single: boolean;
  /** Of a single task: which tests and protected files it is meant to change. */
  mayChange?: readonly string[] | undefined;
  cwd: string;
}

export interface Requirement {
  requirement: string;
  source: LoopSource;
}

/** What is wanted, from the words of the command line or a file: prose for the planner, one task, or stories. */
export async function readRequirement(asked: RequirementAsked): Promise<Requirement> {
  const { words, file, single, cwd } = asked;
  const said = words.join(" ").trim();
  const plain = plainSource(asked);
  if (file === undefined) {
    if (said === "") throw missing();
    return { requirement: said, source: plain };
  }
  const written = await readGiven(file, cwd);
  if (written.trim() === "") throw new UsageError(`${named(file)} is empty`, "Say in it what is wanted.");
  const name = file === "-" ? null : file;
  if (single || !holdsStories(written, name)) {
    const requirement = [said, written.trim()].filter((part) => part !== "").join("\n\n");
    return { requirement, source: plain };
  }
  const { summary, tasks } = readStories(written, name);
  const requirement = [said, summary].find((part) => part.trim() !== "") ?? `The stories of ${named(file)}`;
  return { requirement, source: { kind: "stories", file: name, summary, tasks } };
}

function plainSource({ single, mayChange = [] }: RequirementAsked): LoopSource {
  if (single) return { kind: "single", ...(mayChange.length > 0 ? { mayChange: [...mayChange] } : {}) };
  if (mayChange.length === 0) return { kind: "prose" };
  throw new UsageError(
    "--may-change is for one task, and this is not said to be one",
    "Add --single; a planner, or the story itself (mayChange), says it for each task.",
  );
}

/** By the end of its name, else by how it looks: a box to tick, a list of titles, an object. All else is prose. */
export function holdsStories(written: string, name: string | null): boolean {
  if ([".json", ".yaml", ".yml"].includes(extname(name ?? "").toLowerCase())) return true;
  if (/^\s*(?:[-*+]|\d{1,3}[.)])[ \t]+\[[ xX]\]/m.test(written)) return true;
  return name === null && /^\s*(?:[[{]|(?:-\s+)?(?:title|key|stories|tasks|summary)\s*:)/.test(written);
}

function named(file: string): string {
  return file === "-" ? "stdin" : file;
}

function missing(): UsageError {
  return new UsageError(
    "there is no requirement: nothing says what is to be done",
    'For example: opentiger run "add a --json flag to the list command"',
  );
}
