import type Docker from "dockerode";
import type { Outward } from "../../egress/outward.ts";
import type { State } from "../../state/state.ts";
import type { Engine } from "./engine/engine.ts";
import type { EngineFacts } from "./engine/facts.ts";

/** Where sandboxes are made and remembered: one engine, and the state of one instance. */
export interface Place {
  readonly engine: Engine;
  readonly docker: Docker;
  readonly facts: EngineFacts;
  readonly state: State;
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
  /** Absent where the package is used alone: then only open sandboxes have a network. */
  readonly outward?: Outward;
  /** For sentences that the user should read but that stop nothing. */
  readonly warn: (sentence: string) => void;
}
