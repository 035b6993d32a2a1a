/** The six that have a colour. Whatever else there is means one of them. */
export const tones = ["queued", "running", "blocked", "done", "failed", "cancelled"] as const;
export type Tone = (typeof tones)[number];

/** Which of the six a state is; `blocked(paused)` is blocked. */
export function toneOf(state: string): Tone {
  const [status = ""] = state.split("(");
  return toneOfStatus[status] ?? "queued";
}

const toneOfStatus: Readonly<Record<string, Tone>> = {
  queued: "queued",
  planning: "running",
  running: "running",
  starting: "running",
  awaiting_approval: "blocked",
  blocked: "blocked",
  paused: "blocked",
  waiting: "blocked",
  inconclusive: "blocked",
  done: "done",
  succeeded: "done",
  pass: "done",
  ok: "done",
  failed: "failed",
  fail: "failed",
  lost: "failed",
  cancelled: "cancelled",
  stopped: "cancelled",
};

/** As text on a surface. */
export const toneText: Readonly<Record<Tone, string>> = {
  queued: "text-queued",
  running: "text-running",
  blocked: "text-blocked",
  done: "text-done",
  failed: "text-failed",
  cancelled: "text-cancelled",
};

/** As a surface, with its text. */
export const toneTint: Readonly<Record<Tone, string>> = {
  queued: "bg-queued-tint text-queued",
  running: "bg-running-tint text-running",
  blocked: "bg-blocked-tint text-blocked",
  done: "bg-done-tint text-done",
  failed: "bg-failed-tint text-failed",
  cancelled: "bg-cancelled-tint text-cancelled",
};

/** As a bar or a dot. */
export const toneFill: Readonly<Record<Tone, string>> = {
  queued: "bg-queued-fill",
  running: "bg-running-fill",
  blocked: "bg-blocked-fill",
  done: "bg-done-fill",
  failed: "bg-failed-fill",
  cancelled: "bg-cancelled-fill",
};
