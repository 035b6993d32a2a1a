import type { JudgementRow, LoopRow, RunRow, TaskRow } from "@opentiger/orchestrator";
import { age } from "../output/age.ts";
import { type Colours, coloursFor, inStateColour, noColours } from "../output/colours.ts";
import { printable, printableText, renderTable } from "../output/table.ts";
import type { Surroundings } from "../program/surroundings.ts";

/** How tables look where they are read. */
export interface Look {
  colours: Colours;
  /** No line is longer; undefined: as long as it is. */
  longest: number | undefined;
}

export function lookOf({ stdout, env }: Pick<Surroundings, "stdout" | "env">): Look {
  return { colours: coloursFor(stdout, env), longest: stdout.isTTY ? stdout.columns : undefined };
}

const plain: Look = { colours: noColours, longest: undefined };

/** Enough to recognise it by. */
const shownTitle = 60;

export function loopTable(
  loops: readonly { loop: LoopRow; tasks: string; name: string }[],
  now: Date,
  { colours, longest }: Look = plain,
): string {
  const rows = loops.map(({ loop, tasks, name }) => [
    loop.id,
    inStateColour(loop.state, loop.state, colours),
    tasks,
    printable(name),
    age(loop.createdAt, now),
    cut(loop.requirement),
  ]);
  return renderTable([["LOOP", "STATE", "TASKS", "REPOSITORY", "AGE", "REQUIREMENT"], ...rows], longest);
}

export function taskTable(tasks: readonly TaskRow[], { colours, longest }: Look = plain): string {
  const rows = tasks.map(({ number, state, role, needs, title, detail }) => [
    String(number),
    inStateColour(state, state, colours),
    role,
    needs.join(",") || "-",
    `${cut(title)}${detail === null ? "" : ` · ${cut(detail)}`}`,
  ]);
  return renderTable([["TASK", "STATE", "ROLE", "NEEDS", "TITLE"], ...rows], longest);
}

/** What would be run to check the tasks of a plan, for who is to let it run. Empty: nothing. */
export function verifyLines(tasks: readonly TaskRow[]): string {
  return tasks
    .filter(({ state }) => state !== "cancelled")
    .flatMap(({ number, verify }) => verify.map(({ command }) => `  ${number}  ${printable(command)}\n`))
    .join("");
}

export function runTable(runs: readonly RunRow[], now: Date, { colours, longest }: Look = plain): string {
  const rows = runs.map((run) => [
    String(run.number),
    inStateColour(run.state, run.state, colours),
    run.role,
    run.agent,
    age(run.startedAt, now),
    run.tokens ? String(Object.values(run.tokens).reduce((sum, part) => sum + part, 0)) : "-",
    run.failure ? `${run.failure.type}: ${cut(run.failure.message)}` : "",
  ]);
  return renderTable([["RUN", "STATE", "ROLE", "AGENT", "AGE", "TOKENS", "FAILURE"], ...rows], longest);
}

export function judgementLines(judgements: readonly JudgementRow[]): string {
  return judgements
    .map(({ judgement, candidateOid, evidence, points }) => {
      const trouble = evidence.trouble === null ? "" : `: ${printableText(evidence.trouble, " ".repeat(4))}`;
      const found = points.map(
        ({ file, text }) =>
          `    - ${file === null ? "" : `${printable(file)}: `}${printableText(text, " ".repeat(6))}\n`,
      );
      return `  ${candidateOid.slice(0, 10)} ${judgement}${trouble}\n${found.join("")}`;
    })
    .join("");
}

/** On one line, and not too long for one. */
function cut(written: string): string {
  const line = printable(written.replaceAll(/\s+/g, " ").trim());
  return line.length <= shownTitle ? line : `${line.slice(0, shownTitle - 1)}…`;
}
