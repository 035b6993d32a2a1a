import type { LoopState, RunState, SandboxStatus, TaskState } from "@opentiger/schema";
import pc from "picocolors";

export type Colours = ReturnType<typeof pc.createColors>;

/** Colours for one stream: only on a terminal, and never against NO_COLOR (https://no-color.org) or a dumb one. */
export function coloursFor(stream: { isTTY?: boolean | undefined }, env: NodeJS.ProcessEnv): Colours {
  if (env["NO_COLOR"]) return pc.createColors(false);
  if (env["FORCE_COLOR"] && env["FORCE_COLOR"] !== "0") return pc.createColors(true);
  return pc.createColors(stream.isTTY === true && env["TERM"] !== "dumb");
}

type State = TaskState | LoopState | RunState;
type Colour = "green" | "cyan" | "blue" | "magenta" | "yellow" | "red" | "dim";

/** Green is done or well, cyan goes on by itself, blue is with the judge, magenta and yellow wait, red needs somebody. */
const colourOf: Readonly<Record<State, Colour>> = {
  done: "green",
  succeeded: "green",
  planning: "cyan",
  running: "cyan",
  "blocked(awaiting_judge)": "blue",
  awaiting_approval: "magenta",
  "blocked(awaiting_approval)": "magenta",
  "blocked(needs_rework)": "yellow",
  "blocked(quota_wait)": "yellow",
  "blocked(paused)": "yellow",
  "paused(asked)": "yellow",
  "paused(budget)": "yellow",
  "paused(branch_moved)": "yellow",
  failed: "red",
  lost: "red",
  "blocked(dependency_failed)": "red",
  queued: "dim",
  cancelled: "dim",
};

/** The one colour of a state, wherever it is shown. */
export function inStateColour(state: State, text: string, colours: Colours): string {
  return colours[colourOf[state]](text);
}

const sandboxColours: Readonly<Record<SandboxStatus, Colour>> = {
  running: "green",
  creating: "cyan",
  paused: "yellow",
  broken: "red",
  stopped: "dim",
};

export function inSandboxColour(status: SandboxStatus, text: string, colours: Colours): string {
  return colours[sandboxColours[status]](text);
}

export const noColours: Colours = pc.createColors(false);
