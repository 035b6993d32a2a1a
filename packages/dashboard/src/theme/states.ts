import type { Tone } from "@opentiger/schema";

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
