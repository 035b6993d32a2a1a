import {
  type Database,
  type EventRow,
  findLoop,
  findRun,
  findTask,
  listJudgements,
  type TaskRow,
} from "@opentiger/orchestrator";
import { z } from "zod";
import { printable, printableText } from "../output/table.ts";

/** Where a text goes on that belongs to the line above it. */
const indent = " ".repeat(4);

/** Of what is red already, a person reads the first few. */
const mostRed = 10;

/** What happened in a loop, in lines for people. What says nothing to them has none. */
export class LoopTeller {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async lines(event: EventRow): Promise<string[]> {
    const [what, by = ""] = event.type.split(".");
    if (what === "loop") return this.#loop(by, event);
    if (what === "run") return this.#run(by, event);
    const task = event.task === null ? undefined : await findTask(this.#database, event.task);
    return task ? this.#task(by, task, event) : [];
  }

  async #loop(by: string, { loop, data }: EventRow): Promise<string[]> {
    const said = text(data["detail"]) ?? text(data["why"]);
    const because = said === undefined ? "" : `: ${said}`;
    switch (by) {
      case "create":
        return [`loop ${loop} is being planned`];
      case "base":
        return notes(data);
      case "project":
        return project(data);
      case "baseline":
        return baseline(data);
      case "planned":
        return [`planned: ${count(data["tasks"], "task")}${data["to"] === "running" ? "" : because}`];
      case "approve":
        return ["the plan is approved"];
      case "pause":
        return [`paused${because}`];
      case "resume":
        return ["goes on"];
      case "fail":
        return [`failed${because || (await this.#detail(loop))}`];
      case "finish":
        return ["done"];
      case "cancel":
        return ["cancelled"];
      default:
        return said === undefined ? [] : [said];
    }
  }

  async #run(by: string, event: EventRow): Promise<string[]> {
    const run = event.run === null ? undefined : await findRun(this.#database, event.run);
    if (!run) return [];
    const task = run.task === null ? undefined : await findTask(this.#database, run.task);
    const who = task ? `task ${task.number}` : "the plan";
    switch (by) {
      case "create":
        return [`${who}: ${run.role} started (${run.agent}, run ${run.number})`];
      case "fail":
      case "lose": {
        const why = run.failure
          ? `: ${printableText(run.failure.message, indent)}\n    → ${printableText(run.failure.remedy, `${indent}  `)}`
          : "";
        return [`${who}: run ${run.number} ${by === "fail" ? "failed" : "was lost"}${why}`];
      }
      case "cancel":
        return [`${who}: run ${run.number} was stopped`];
      case "left_out":
        return notes(event.data).map((note) => `${who}: ${note}`);
      default:
        return [];
    }
  }

  async #task(by: string, task: TaskRow, { data }: EventRow): Promise<string[]> {
    const who = `task ${task.number}`;
    switch (by) {
      case "create":
        return [`${who}: ${printable(task.title)} (${task.role})`];
      case "submit":
        return [`${who}: waits for the judge`];
      case "pass":
        return [`${who}: judged, pass`];
      case "reject":
        return [`${who}: judged, fail${await this.#points(task)}`];
      case "rejudge":
        return [`${who}: is judged again${because(data)}`];
      case "merge":
        return [`${who}: merged${commit(data["toOid"])}`];
      case "give_up":
        return [`${who}: failed: ${text(task.detail) ?? "for a reason that nobody wrote down"}`];
      case "wait_for_quota":
        return [
          `${who}: waits for the quota${task.notBefore ? ` until ${task.notBefore.toISOString()}` : ""}`,
        ];
      case "again":
        return [`${who}: is tried again${because(data)}`];
      case "block":
        return [`${who}: cannot begin: ${text(task.detail) ?? "a task that it needs was not done"}`];
      case "unblock":
      case "retry":
        return [`${who}: is queued again`];
      case "cancel":
        return [`${who}: cancelled`];
      case "send_back":
        return [`${who}: is sent back by a person`];
      case "message":
        return [`${who}: a person says: ${placed(data)}${text(data["text"]) ?? ""}`];
      case "message_given":
        return [`${who}: its agent has heard it`];
      case "dispute":
        return [`${who}: the worker disputes these tests, and they are written again`];
      default:
        return [];
    }
  }

  async #detail(loop: string): Promise<string> {
    const found = await findLoop(this.#database, loop);
    return found?.detail ? `: ${printableText(found.detail, indent)}` : "";
  }

  /** The last judgement's, on lines of their own. */
  async #points(task: TaskRow): Promise<string> {
    const { items } = await listJudgements(this.#database, { task: task.id, limit: 500 });
    const points = items.at(-1)?.points ?? [];
    return points
      .map(
        ({ file, line, text: said }) => `\n    - ${place(file, line)}${printableText(said, `${indent}  `)}`,
      )
      .join("");
  }
}

function place(file: string | null, line: number | null): string {
  if (file === null) return "";
  return `${printable(file)}${line === null ? "" : `:${line}`}: `;
}

function placed({ file, line }: EventRow["data"]): string {
  return place(typeof file === "string" ? file : null, typeof line === "number" ? line : null);
}

function baseline(data: EventRow["data"]): string[] {
  const red = strings(data["red"]);
  if (red.length === 0) return [...notes(data), "nothing is red before anything was done"];
  const shown = red.slice(0, mostRed).map((check) => `\n    - ${printable(check)}`);
  const rest = red.length > mostRed ? `\n    - and ${red.length - mostRed} more` : "";
  return [...notes(data), `red before anything was done, and therefore no evidence:${shown.join("")}${rest}`];
}

function notes(data: EventRow["data"]): string[] {
  return strings(data["notes"]).map((note) => `note: ${printable(note)}`);
}

const shownProject = z.object({
  detected: z.array(z.string()),
  setup: z.array(z.string()),
  verify: z.array(z.object({ command: z.string() })),
  /** Its image, its variables and what it reaches; loops of earlier versions did not say. */
  shown: z.array(z.string()).default([]),
});

/** What will be run in it, so that a wrong guess is seen at once. */
function project(data: EventRow["data"]): string[] {
  const { data: known } = shownProject.safeParse(data);
  if (!known) return [];
  const detected =
    known.detected.length === 0 ? [] : [`detected: ${known.detected.map(printable).join(", ")}`];
  const setup = known.setup.map((command) => `set-up: ${printable(command)}`);
  const verify = known.verify.map(({ command }) => `verify: ${printable(command)}`);
  return [
    ...detected,
    ...setup,
    ...(verify.length === 0 ? ["verify: nothing"] : verify),
    ...known.shown.map(printable),
  ];
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function because(data: EventRow["data"]): string {
  const said = text(data["detail"]) ?? text(data["why"]) ?? text(data["message"]);
  return said === undefined ? "" : `: ${said}`;
}

function commit(oid: unknown): string {
  return typeof oid === "string" ? ` as ${oid.slice(0, 10)}` : ", and waits for the code that it tests";
}

function count(number: unknown, noun: string): string {
  return `${String(number)} ${noun}${number === 1 ? "" : "s"}`;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? printableText(value, indent) : undefined;
}
