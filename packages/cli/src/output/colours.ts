import {
  type ConnectionVerdict,
  type LoopState,
  type RunState,
  type SandboxStatus,
  type TaskState,
  type Tone,
  toneOf,
} from "@opentiger/schema";
import pc from "picocolors";

export type Colours = ReturnType<typeof pc.createColors>;

/** Colours for one stream: only on a terminal, and never against NO_COLOR (https://no-color.org) or a dumb one. */
export function coloursFor(stream: { isTTY?: boolean | undefined }, env: NodeJS.ProcessEnv): Colours {
  if (env["NO_COLOR"]) return pc.createColors(false);
  if (env["FORCE_COLOR"] && env["FORCE_COLOR"] !== "0") return pc.createColors(true);
  return pc.createColors(stream.isTTY === true && env["TERM"] !== "dumb");
}

type State = TaskState | LoopState | RunState | SandboxStatus | ConnectionVerdict;

/** As on pages; where a terminal's own blue is hardly seen, and amber is yellow. */
const colourOf = {
  queued: "gray",
  running: "blueBright",
  blocked: "yellow",
  done: "green",
  failed: "red",
  cancelled: "dim",
} as const satisfies Record<Tone, keyof Colours>;

/** The one colour of a state, wherever it is shown. */
export function inStateColour(state: State, text: string, colours: Colours): string {
  return colours[colourOf[toneOf(state)]](text);
}

export const noColours: Colours = pc.createColors(false);
