import type { Readable, Writable } from "node:stream";
import type {
  AgentName,
  BackendName,
  ExecExit,
  ExecInfo,
  ExecSpec,
  FolderMount,
  NetworkSettings,
  SandboxStats,
  SandboxSummary,
  WorkspaceKind,
  WorkspaceMount,
} from "@opentiger/schema";

/** A piece of output, with the offset of its first byte in its stream. */
export interface OutputChunk {
  stream: "stdout" | "stderr";
  offset: number;
  data: Buffer;
}

/** One command in a sandbox. It outlives this object: whoever knows its id can attach again. */
export interface Execution {
  readonly id: string;
  /** The supervisor's id of the process; of use inside the sandbox only. */
  readonly pid: number;
  readonly stdin: Writable;
  /**
   * The output in the order it came, once. A chunk is acknowledged when the next one is asked for, so that
   * what the caller had in hand when it died is sent again to the next one. Not reading blocks the writer.
   */
  output(): AsyncIterable<OutputChunk>;
  /** Rejects with `session_lost` when the session ended first: the outcome is then unknown, never 0. */
  readonly exit: Promise<ExecExit>;
  /** Signals everything the exec started, whether it left its session or not. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Lets go of it; the command goes on. */
  detach(): void;
}

export type ExecOptions = Omit<ExecSpec, "id" | "command"> & { id?: string; signal?: AbortSignal };

/** Like Execution, with one byte stream in each direction and a size: a terminal. */
export interface Terminal {
  readonly id: string;
  readonly stream: Readable & Writable;
  resize(columns: number, rows: number): Promise<void>;
  readonly exit: Promise<ExecExit>;
  kill(signal?: NodeJS.Signals): Promise<void>;
}

export type TerminalOptions = Pick<ExecOptions, "env" | "cwd" | "user"> & { columns: number; rows: number };

/** A running sandbox with an open session. `close` ends the session, not the sandbox. */
export interface Sandbox {
  readonly name: string;
  readonly id: string;
  readonly agent: string;
  readonly backend: BackendName;
  readonly workspaceKind: WorkspaceKind;
  readonly workspaces: readonly WorkspaceMount[];
  /** What keeps agent and supervisor apart, in a sentence for the user; undefined when nothing is weaker than usual. */
  readonly weakness: string | undefined;
  /** Whether an exec outlives the session that started it, and `attach` finds it again: not without a supervisor. */
  readonly attachable: boolean;
  exec(command: readonly string[], options?: ExecOptions): Promise<Execution>;
  attach(id: string, from?: { stdout?: number; stderr?: number }): Promise<Execution>;
  /** Signals all that an exec started, SIGKILL by default, and leaves its reader where it is. */
  kill(id: string, signal?: NodeJS.Signals): Promise<void>;
  terminal(command: readonly string[], options: TerminalOptions): Promise<Terminal>;
  execs(): Promise<ExecInfo[]>;
  stats(): Promise<SandboxStats>;
  close(): Promise<void>;
}

export interface Limits {
  memoryBytes: number;
  cpus: number;
  pids: number;
  /** Largest single file. */
  fileBytes: number;
}

export interface CreateOptions {
  /** Default: `<agent>-<basename>`, with a number on collision. */
  name?: string;
  agent: AgentName;
  /** The first is the working directory. Absolute, or relative to the current directory. */
  workspaces: readonly WorkspaceMount[];
  workspaceKind?: WorkspaceKind;
  /** direct only, and only where the engine sees this machine's files: further folders, read-only, in the agent's home. */
  mounts?: readonly FolderMount[];
  /**
   * clone only: the host's repository whose commits are put in, where it is another than the workspace's path, say
   * a bare one. The path is then only where the clone stands inside, and need not be a repository itself.
   */
  repository?: string;
  /** clone only: the commit to start at. Default: HEAD. */
  commit?: string;
  image?: string;
  pull?: "always" | "missing" | "never";
  limits?: Partial<Limits>;
  /** What it may reach. Except under `open`, which is attached to `SANDBOX_DOCKER_NETWORK`, it has no interface at all. */
  network?: Partial<NetworkSettings>;
  /** URLs of this machine's loopback are rewritten, so that they lead from the sandbox to where they led from here. */
  env?: Readonly<Record<string, string>>;
  /**
   * host only: the variables of whoever starts it that commands find in their environment, by name; a star at the end of
   * one stands for anything. Default: all of them.
   */
  inherit?: readonly string[];
  /** Removed when the last exec of this client ends: `run --rm`. */
  labels?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
  onProgress?: (line: string) => void;
}

export interface StopOptions {
  /** Only this one: another that has the name by now is not touched, and the asked one told as `not_found`. */
  id?: string;
}

export interface RemoveOptions extends StopOptions {
  /** Remove although commits in a clone were not fetched. */
  force?: boolean;
}

export interface ListOptions {
  /** Also those that wait in the pool and are nobody's yet. */
  parked?: "shown";
}

export interface OpenOptions {
  /** For who only looks: one that somebody stopped stays stopped, and is told by `not_allowed_now`. */
  stopped?: "refused";
}

/** What makes sandboxes. Each backend is one folder with this shape. */
export interface Backend {
  readonly kind: BackendName;
  create(options: CreateOptions): Promise<Sandbox>;
  /** Opens a session, and starts the sandbox where it is stopped. */
  open(name: string, options?: OpenOptions): Promise<Sandbox>;
  list(options?: ListOptions): Promise<SandboxSummary[]>;
  /** Everything known about it, as JSON. */
  inspect(name: string): Promise<Record<string, unknown>>;
  stop(name: string, options?: StopOptions): Promise<void>;
  /** Lets one go on that was paused because the disk was nearly full. */
  resume(name: string): Promise<void>;
  remove(name: string, options?: RemoveOptions): Promise<void>;
  save(name: string, tag: string): Promise<{ imageId: string }>;
  /** Removes every sandbox of this instance. */
  reset(): Promise<string[]>;
  /** Collects what crashed creates and half-done removals left, of this instance only. */
  prune(): Promise<string[]>;
}
