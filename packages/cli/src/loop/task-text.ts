import type { JudgementRow, listArtifacts, RunRow, TaskMessageRow, TaskRow } from "@opentiger/orchestrator";
import { printable, printableText } from "../output/table.ts";
import { judgementLines, type Look, runTable } from "./views.ts";

/** What there is of a task besides its own row. */
export interface TaskFacts {
  runs: readonly RunRow[];
  judgements: readonly JudgementRow[];
  messages: readonly TaskMessageRow[];
  artifacts: Awaited<ReturnType<typeof listArtifacts>>["items"];
}

/** One task, for people: what it is to do and how it is checked, before what came of it. */
export function taskText(task: TaskRow, known: TaskFacts, now: Date, look?: Look): string {
  const { runs, judgements, messages, artifacts } = known;
  const facts = [
    `task ${task.number}: ${printable(task.title)}`,
    `  state    ${task.state}${task.detail === null ? "" : `: ${printableText(task.detail, " ".repeat(11))}`}`,
    `  role     ${task.role}`,
    `  needs    ${task.needs.join(", ") || "nothing"}`,
    `  paths    ${task.allowedPaths.map(printable).join(" ") || "any"}`,
    ...task.verify.map(({ command }) => `  verify   ${printable(command)}`),
    ...(task.candidateOid === null ? [] : [`  candidate ${task.candidateOid}`]),
    ...(task.mergedOid === null ? [] : [`  merged   ${task.mergedOid}`]),
  ];
  const parts = [
    `${facts.join("\n")}\n`,
    `what it is to do\n${indented(task.instructions)}`,
    ...(runs.length === 0 ? [] : [runTable(runs, now, look)]),
    ...(judgements.length === 0 ? [] : [`judgements\n${judgementLines(judgements)}`]),
    ...(messages.length === 0 ? [] : [`what people said\n${messages.map(messageLine).join("")}`]),
    ...(artifacts.length === 0
      ? []
      : [`artifacts\n${artifacts.map(({ kind, path }) => `  ${kind}  ${printable(path)}\n`).join("")}`]),
  ];
  return parts.join("\n");
}

function messageLine({ text, file, line, run, givenAt }: TaskFacts["messages"][number]): string {
  const heard = run === null ? "a point" : "heard";
  const place = file === null ? "" : `${file}${line === null ? "" : `:${line}`}: `;
  const said = printable(`${place}${text}`.replaceAll(/\s+/g, " "));
  return `  ${givenAt === null ? "waits" : heard}  ${said}\n`;
}

function indented(text: string): string {
  return `  ${printableText(text.trim(), "  ")}\n`;
}
