import type { Sandbox } from "../sandbox.ts";
import type { LoopTool } from "./loop-tool.ts";

/** How a loop's sandboxes get their credentials. A port: this package knows no secret and asks for none. */
export interface LoopCredentials {
  /** Called once when the sandbox was made. */
  prepare(sandbox: Sandbox, tool: LoopTool): Promise<void>;
  /** Added to the environment of every command. */
  environment(sandbox: Sandbox): Record<string, string>;
}

const none: LoopCredentials = {
  prepare: async () => {},
  environment: () => ({}),
};

let current = none;

export function loopCredentials(): LoopCredentials {
  return current;
}

/** Plugs a source of credentials in, for this process. `undefined` takes it out again. */
export function useLoopCredentials(credentials: LoopCredentials | undefined): void {
  current = credentials ?? none;
}
