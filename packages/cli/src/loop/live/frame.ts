import type { TaskState } from "@opentiger/schema";
import { type Colours, inStateColour } from "../../output/colours.ts";
import { printable } from "../../output/table.ts";
import { cutTo, fitTo } from "../../output/width.ts";
import { dollars, shortCount, stopwatch } from "./figures.ts";
import type { LiveState, LiveTask } from "./live-loop.ts";

export interface FrameOptions {
  columns: number;
  rows: number;
  colours: Colours;
  now: Date;
  /** Where it can be seen in a browser. */
  page: string | undefined;
  /** In place of the hint. */
  notice: string | undefined;
}

const spinner = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const spinMs = 120;

/** From so many columns on there is room for this. */
const roomFor = { doing: 50, figures: 64, role: 90 };

/** The loop as lines of a terminal, none of which is longer than it is wide, and not more than it is high. */
export function renderFrame(state: LiveState, options: FrameOptions): string[] {
  const { columns, rows } = options;
  const width = Math.max(1, columns - 1);
  const shown = chosen(state.tasks, Math.max(1, rows - 6));
  const numbers = String(Math.max(0, ...state.tasks.map(({ number }) => number))).length;
  return [
    "",
    header(state, width, options),
    ...planning(state, width, options),
    ...shown.map((task) => taskLine(task, state.tasks, { ...options, width, numbers })),
    ...rest(state.tasks, shown, width, options),
    footer(state, width, options),
    hint(width, options),
  ];
}

function header({ loop }: LiveState, width: number, { colours, now }: FrameOptions): string {
  const took = stopwatch((loop.endedAt ?? now).getTime() - loop.createdAt.getTime());
  const words = wordsOf(loop.state);
  const room = width - loop.id.length - words.length - took.length - 6;
  const id = colours.bold(loop.id);
  if (room < 0)
    return `${id} ${inStateColour(loop.state, cutTo(width - loop.id.length - 1, words), colours)}`;
  const requirement = fitTo(room, oneLine(loop.requirement).replace(/^#+ /, ""));
  const state = inStateColour(loop.state, words, colours);
  return `${id} ${state}  ${requirement}  ${colours.dim(took)}`;
}

function planning({ loop, planning: run, tasks }: LiveState, width: number, options: FrameOptions): string[] {
  if (loop.state !== "planning" || tasks.length > 0) return [];
  const { colours, now } = options;
  const doing = run ? `planner: ${run.doing}` : "the project is being set up and checked";
  return [`  ${inStateColour("planning", spin(now), colours)} ${cutTo(width - 4, doing)}`];
}

interface LineOptions extends FrameOptions {
  width: number;
  /** How many digits. */
  numbers: number;
}

function taskLine(task: LiveTask, all: readonly LiveTask[], options: LineOptions): string {
  const { width, numbers, colours, now } = options;
  const { number, state, role, title, run, tokens, tookMs } = task;
  const took = tookMs + (run ? now.getTime() - run.startedAt.getTime() : 0);
  const figures =
    width < roomFor.figures
      ? ""
      : ` ${(took > 0 ? stopwatch(took) : "").padStart(7)} ${(tokens > 0 ? shortCount(tokens) : "").padStart(6)}`;
  const who = width < roomFor.role ? "" : `${role.padEnd(7)}`;
  const room = width - 4 - numbers - 1 - who.length - figures.length;
  const titleWidth = width < roomFor.doing ? room : Math.floor(room * 0.5);
  const doing = width < roomFor.doing ? "" : fitTo(room - titleWidth, ` ${doingOf(task, all)}`);
  return [
    `  ${inStateColour(state, markOf(task, now), colours)} `,
    `${String(number).padStart(numbers)} ${colours.dim(who)}${fitTo(titleWidth, oneLine(title))}`,
    inStateColour(state, doing, colours),
    colours.dim(figures),
  ].join("");
}

function doingOf({ state, run, needs, detail }: LiveTask, all: readonly LiveTask[]): string {
  if (run) return run.role === "judge" ? `judge: ${run.doing}` : run.doing;
  if (state === "queued") {
    const open = needs.filter((need) => all.some((each) => each.number === need && each.state !== "done"));
    return open.length > 0 ? `needs ${open.join(", ")}` : "queued";
  }
  if (state === "running") return "starts";
  return detail === null || state === "done" ? wordsOf(state) : `${wordsOf(state)}: ${oneLine(detail)}`;
}

function markOf({ state, run }: LiveTask, now: Date): string {
  if (run || state === "running") return spin(now);
  return marks[state] ?? "!";
}

const marks: Partial<Record<TaskState, string>> = {
  done: "✓",
  failed: "✗",
  cancelled: "-",
  queued: "·",
  "blocked(awaiting_judge)": "◆",
};

/** Those that say the most where there is not room for all: what is done or cannot begin yet gives way. */
function chosen(tasks: readonly LiveTask[], room: number): LiveTask[] {
  if (tasks.length <= room) return [...tasks];
  const weight = ({ state, run }: LiveTask): number => {
    if (run || state === "running") return 0;
    if (state === "done" || state === "cancelled") return 3;
    return state === "queued" ? 2 : 1;
  };
  const best = tasks.toSorted((one, other) => weight(one) - weight(other) || one.number - other.number);
  return best.slice(0, Math.max(1, room - 1)).toSorted((one, other) => one.number - other.number);
}

function rest(
  all: readonly LiveTask[],
  shown: readonly LiveTask[],
  width: number,
  { colours }: FrameOptions,
): string[] {
  const hidden = all.length - shown.length;
  return hidden === 0 ? [] : [colours.dim(cutTo(width, `    and ${hidden} more`))];
}

function footer({ tasks, tokens, usd }: LiveState, width: number, { colours, page }: FrameOptions): string {
  const done = tasks.filter(({ state }) => state === "done").length;
  const failed = tasks.filter(({ state }) => state === "failed").length;
  const parts = [
    ...(tasks.length > 0 ? [`${done} of ${tasks.length} done`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    `${shortCount(tokens)} tokens`,
    ...(usd === null ? [] : [dollars(usd)]),
    ...(page === undefined ? [] : [page]),
  ];
  return colours.dim(cutTo(width, `  ${parts.join(" · ")}`));
}

function hint(width: number, { colours, notice }: FrameOptions): string {
  const text = cutTo(width, `  ${notice ?? "Ctrl-C leaves it running"}`);
  return notice === undefined ? colours.dim(text) : colours.yellow(text);
}

/** `blocked(needs_rework)` is `needs rework`. */
function wordsOf(state: string): string {
  return (/\((.*)\)/.exec(state)?.[1] ?? state).replaceAll("_", " ");
}

function spin(now: Date): string {
  return spinner[Math.floor(now.getTime() / spinMs) % spinner.length] ?? "";
}

function oneLine(text: string): string {
  return printable(text.replaceAll(/\s+/g, " ").trim());
}
