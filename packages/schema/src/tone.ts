import type { SandboxStatus } from "./sandbox.ts";
import type { JudgementWord, LoopStatus, RunStatus, TaskStatus } from "./state.ts";

/** The six that have a colour, on pages and in a terminal. Whatever else there is means one of them. */
export const tones = ["queued", "running", "blocked", "done", "failed", "cancelled"] as const;
export type Tone = (typeof tones)[number];

/** What a process of ours may be in besides. */
type ProcessStatus = "starting" | "waiting";

/** What became of a connection of a sandbox. */
export type ConnectionVerdict = "allowed" | "blocked" | "failed" | "cut";

type Status =
  | TaskStatus
  | LoopStatus
  | RunStatus
  | JudgementWord
  | SandboxStatus
  | ProcessStatus
  | ConnectionVerdict
  | "ok";

const toneOfStatus: Readonly<Record<Status, Tone>> = {
  queued: "queued",
  planning: "running",
  running: "running",
  starting: "running",
  creating: "running",
  awaiting_approval: "blocked",
  blocked: "blocked",
  cut: "blocked",
  paused: "blocked",
  waiting: "blocked",
  inconclusive: "blocked",
  done: "done",
  succeeded: "done",
  pass: "done",
  allowed: "done",
  ok: "done",
  failed: "failed",
  fail: "failed",
  lost: "failed",
  broken: "failed",
  cancelled: "cancelled",
  stopped: "cancelled",
};

/** Which of the six a state is, with its reason or without: `blocked(paused)` is blocked. One that nobody knows is queued. */
export function toneOf(state: string): Tone {
  const [status = ""] = state.split("(");
  return isStatus(status) ? toneOfStatus[status] : "queued";
}

function isStatus(status: string): status is Status {
  return Object.hasOwn(toneOfStatus, status);
}
