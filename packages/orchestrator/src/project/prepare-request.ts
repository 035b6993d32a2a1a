import type { AgentName, ExecutionEnvironment, Project } from "@opentiger/schema";
import type { LoopRepository } from "../git/repository.ts";
import type { LoopRow } from "../state/loops.ts";

export interface PrepareRequest {
  loop: Pick<LoopRow, "id" | "settings" | "baseOid">;
  repository: Pick<LoopRepository, "path" | "userPath" | "listFiles" | "readFile">;
  project: Project;
  /** What the sandboxes that start from it are brought to. */
  commit: string;
  /** The template of the agent that is going to work there. Nothing of it is in the image: one serves for all. */
  agent?: AgentName;
  environment: ExecutionEnvironment;
  signal: AbortSignal;
  say: (line: string) => void;
}

export interface Prepared {
  /** What to create sandboxes from; null where each clone is set up by itself: on the host, or with nothing to do. */
  image: string | null;
  key: string;
  /** The commands by which the project is set up at the commit. */
  setup: readonly string[];
  /** What is to be known of the set-up, where it was done now. */
  notes: string[];
}
