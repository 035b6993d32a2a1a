import type { Outward } from "../egress/outward.ts";
import type { CreateOptions, Sandbox } from "../sandbox.ts";
import type { LoopTool } from "./loop-tool.ts";

/** How a loop's sandboxes get their credentials. A port: this package knows no secret and asks for none. */
export interface LoopCredentials {
  /** What a sandbox has to be made with for it. */
  creation?(): Pick<CreateOptions, "mounts" | "env">;
  /** Called once when the sandbox was made. */
  prepare(sandbox: Sandbox, tool: LoopTool): Promise<void>;
  /** The environment of a command, from the one that the caller wants for it. */
  environment(sandbox: Sandbox, given: Readonly<Record<string, string>>): Promise<Record<string, string>>;
  /** What a run on the host itself gets in its environment, until it is ended. */
  hostRun?(run: LoopHostRun): Promise<{ env: Record<string, string>; end(): Promise<void> }>;
}

export interface LoopHostRun {
  run: string;
  name: string;
  loop: string | undefined;
  tool: LoopTool;
  /** Of this run alone, and gone after it. */
  folder: string;
}

/** What the loop helpers are given of the world outside this package. */
export interface LoopSurroundings {
  credentials?: LoopCredentials;
  /** The way out of the sandboxes; without one they have no network. */
  outward?: Outward;
}

const nothing: LoopCredentials = {
  prepare: async () => {},
  environment: async (_, given) => ({ ...given }),
};

let current: LoopSurroundings = {};

export function loopCredentials(): LoopCredentials {
  return current.credentials ?? nothing;
}

export function loopOutward(): Outward | undefined {
  return current.outward;
}

/** Plugs both in, for this process. `undefined` takes them out again. */
export function useLoopSurroundings(surroundings: LoopSurroundings | undefined): void {
  current = surroundings ?? {};
}
