import type { Sandbox } from "@opentiger/sandbox";
import type { AgentEvent } from "@opentiger/schema";
import type { AgentDriver, AgentTask } from "../driver.ts";
import type { AgentOutcome, Resumption } from "../outcome/outcome.ts";
import type { RunGateway } from "./gateway.ts";

/** What a run may take before it is ended. */
export interface RunLimits {
  timeoutMs: number;
  /** No event, no change of a file in the workspace and no byte of a model for so long. */
  idleMs: number;
  /** The same tool call with the same result so many times in a row. */
  toolLoopRepeats: number;
}

/** A long task of a good model takes an hour; tests of a large project may be silent for many minutes. */
export const defaultLimits: RunLimits = {
  timeoutMs: 2 * 60 * 60_000,
  idleMs: 15 * 60_000,
  toolLoopRepeats: 10,
};

/** What both starting a run and taking one over need. */
interface RunParts {
  /** Unique; the exec inside is called after it. */
  id: string;
  driver: AgentDriver;
  task: AgentTask;
  sandbox: Sandbox;
  /** Opens the sandbox anew when its session is lost; without it such a run is lost too. */
  reopen?: () => Promise<Sandbox>;
  env?: Readonly<Record<string, string>>;
  limits?: Partial<RunLimits>;
  /** Without one the CLI's own words decide why a run failed. */
  gateway?: RunGateway | undefined;
  /** Values that shall appear in no event and no outcome. */
  redact?: readonly string[];
  /**
   * A file outside the sandbox, for its owner alone: what the CLI prints, as it prints it. With it another process can
   * take the run over. Whoever has stored the outcome removes it.
   */
  transcript: string;
  /** A folder outside the sandbox in which conversations are kept; without it they live as long as the sandbox. */
  sessions?: string;
  /** Ends the run. */
  signal?: AbortSignal | undefined;
  /** Lets the run go without ending anything of it, since another process is going to follow it: the outcome rejects. */
  letGo?: AbortSignal | undefined;
}

export interface RunRequest extends RunParts {
  /** The workspace, as it is called inside. */
  cwd: string;
  /** Inside; the run's own folder is made below it. Default: one that goes with the sandbox, if there is one, else /tmp. */
  folder?: string;
  /** What is asked instead where the conversation cannot be resumed. Default: the task's prompt. */
  promptIfFresh?: string;
}

export interface AdoptRequest extends RunParts {
  /** The last event that was heard of this run; those after it are told. */
  after?: number;
}

/** A run that was started or taken over. */
export interface AgentRun {
  readonly id: string;
  readonly execId: string;
  /** By which it can be resumed, as soon as that is known. */
  readonly session: string | null;
  /**
   * Read once. A slow reader slows the CLI. While nobody has begun to read, the oldest are let go when there are many,
   * so that the outcome comes all the same; whoever stops reading holds up nothing.
   */
  readonly events: AsyncIterable<AgentEvent>;
  /** Rejects only for a trouble of ours, such as a full disk, or when another process took the run over. */
  readonly outcome: Promise<AgentOutcome>;
  /** Whether it goes on with an earlier conversation, where that was asked for. */
  readonly resumed: Resumption;
  /**
   * Resolves when nothing of it is alive any more, and what we do behind it is done too, unless that takes too long.
   * Rejects where the sandbox cannot be reached to see to that.
   */
  cancel(reason?: string): Promise<void>;
}
