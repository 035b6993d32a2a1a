import type { Sandbox } from "@opentiger/sandbox";
import type { AgentName, AgentSaying, BackendName, FailureType, TokenCount } from "@opentiger/schema";

/** A coding CLI. Each is one folder with this shape; the next one is copied from it. */
export interface AgentDriver {
  /** `claude_code`, `codex`, … */
  readonly name: string;
  readonly title: string;
  /** The template whose image has it, and by which sandboxd knows which credentials it needs. */
  readonly template: AgentName;
  readonly abilities: AgentAbilities;
  /** How it is started for this task. Pure: the same task in the same place is the same launch. */
  launch(task: AgentTask, place: LaunchPlace): Launch;
  /** Reads what it prints, from the first line on. One for each run. */
  reader(task: AgentTask): AgentReader;
  /** How its conversation is carried to another place; absent where it has none. */
  readonly session?: SessionKeeping;
}

export interface AgentAbilities {
  /** own: the CLI asks the model for the schema. prompt: it is asked for in words. */
  answers: "own" | "prompt";
  resume: boolean;
  maxTurns: boolean;
}

/** What an agent is to do, in words that every driver understands. */
export interface AgentTask {
  prompt: string;
  model?: string;
  maxTurns?: number;
  /** Added to the CLI's own system prompt. */
  systemPrompt?: string;
  /** CLAUDE.md and AGENTS.md of the base commit. They always reach the model, whatever the settings are. */
  instructions: readonly ProjectInstructions[];
  /** Whether hooks, MCP servers, variables and configuration of the repository may take effect. */
  projectSettings: "ignored" | "allowed";
  permissions: Permissions;
  /**
   * What of its permissions it is offered at all; everything where this is absent. For Codex and a command of the user's,
   * which cannot be offered less, it is asked for in words.
   */
  tools?: readonly AgentTool[];
  /** The answer is asked for in this form; it is checked by us in any case. */
  answer?: AnswerSchema;
  session: SessionRequest;
}

export interface ProjectInstructions {
  /** Relative to the repository. */
  path: string;
  text: string;
}

/** full: everything, as is right inside a sandbox. edits: files, and exactly these commands. read: nothing is changed. */
export type Permissions =
  | { kind: "full" }
  | { kind: "edits"; commands: readonly string[] }
  | { kind: "read" };

/** Kinds of tools. read: searching too. command: everything in a shell. agents: those that it starts itself. */
export type AgentTool = "read" | "edit" | "command" | "web" | "agents";

export interface AnswerSchema {
  /** Draft 2020-12, strict: all properties required, no others allowed. */
  jsonSchema: Readonly<Record<string, unknown>>;
}

/** new: `id` is a UUID of ours, which a CLI that can choose its session's id uses. */
export type SessionRequest =
  | { kind: "new"; id: string }
  /** used: what the conversation had used before, for a CLI that counts it from its beginning on. */
  | { kind: "resumed"; id: string; used?: TokenCount | undefined };

/** Where it is started. */
export interface LaunchPlace {
  backend: BackendName;
  /** Of the workspace, without a symbolic link in it: some CLIs trust a folder by its name. */
  cwd: string;
  home: string;
  /** Of this run alone, outside the workspace; the launch's files are put there. */
  folder: string;
  /** What the agent finds there for the gateway: base URLs and placeholders. */
  env: Readonly<Record<string, string>>;
}

export interface Launch {
  command: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Paths are below the place's folder. */
  files: readonly LaunchFile[];
  /** The whole of stdin. Prompts go here or into a file, never into the command. */
  stdin: string;
  /** What its stdin is; some read nothing from a file. Default: file. */
  stdinBy?: "file" | "pipe";
}

export interface LaunchFile {
  path: string;
  content: string;
}

/** Reads a CLI's output line by line. It keeps what the end needs, and no more. */
export interface AgentReader {
  /** One line of stdout, without its end; longer ones than the limit never come here. */
  line(line: string): AgentSaying[];
  /** One line of stderr, for a CLI that tells something nowhere else. What it gives nothing for is kept as raw. */
  errorLine?(line: string): AgentSaying[];
  /** Why it must be ended, once it must: for a CLI that goes on where it should not. */
  tooMuch?(): { type: "max_turns" | "overloaded"; message: string } | undefined;
  ending(): AgentEnding;
}

/** What the CLI itself said of its end. */
export interface AgentEnding {
  /** Whether its last word came: without it the run was cut off. */
  complete: boolean;
  session: string | null;
  /** What it says went wrong, from its own error event; never from what the model or a tool printed. */
  error: AgentError | null;
  /** It told of an error and then came to a good end: its exit status, which speaks of the error, is not believed. */
  recovered?: boolean;
  /** The structured answer as it came, not yet checked. undefined: there was none. */
  answer: unknown;
  lastText: string | null;
  /** Tools that it wanted to use and was not allowed to. */
  denials: readonly string[];
  tokens: TokenCount | null;
  usd: number | null;
  turns: number | null;
}

export interface AgentError {
  /** Where the CLI's structured word, or an anchored pattern on its error event, decides it. */
  type: FailureType | null;
  /** HTTP status that the model's API gave, where the CLI tells it. */
  status: number | null;
  message: string;
  /** ISO; when a quota ends, where the CLI tells it. */
  until: string | null;
}

/** How a conversation is kept outside its sandbox, so that it outlives it. */
export interface SessionKeeping {
  /** What is kept of it, or undefined where there is nothing yet. */
  save(sandbox: Sandbox, place: LaunchPlace, id: string): Promise<Buffer | undefined>;
  /** Puts it where the CLI looks for it. */
  restore(sandbox: Sandbox, place: LaunchPlace, id: string, kept: Buffer): Promise<void>;
  /** What the conversation has used so far, for a CLI that counts it from its beginning on. */
  used?(kept: Buffer): TokenCount | undefined;
}
