import { z } from "zod";

/** The coding CLIs that openTiger drives. `command` is any other of the user's. */
export const agentKinds = ["claude_code", "codex", "opencode", "command"] as const;
export const agentKind = z.enum(agentKinds);
export type AgentKind = z.infer<typeof agentKind>;

/** Tokens of one request to a model, or of several together. */
export const tokenCount = z.object({
  input: z.number().int().nonnegative(),
  output: z.number().int().nonnegative(),
  cacheRead: z.number().int().nonnegative(),
  cacheWrite: z.number().int().nonnegative(),
});
export type TokenCount = z.infer<typeof tokenCount>;

/** What a tool call does, whatever the CLI calls the tool. */
export const toolKind = z.enum(["command", "edit", "read", "search", "web", "mcp", "plan", "other"]);
export type ToolKind = z.infer<typeof toolKind>;

const started = z.object({
  type: z.literal("started"),
  /** By which the CLI can be resumed; null where it has none. */
  session: z.string().nullable(),
  model: z.string().nullable(),
  /** Whether it goes on with an earlier conversation. */
  resumed: z.boolean(),
});

const text = z.object({ type: z.literal("text"), text: z.string() });
const thinking = z.object({ type: z.literal("thinking"), text: z.string() });

const toolCall = z.object({
  type: z.literal("tool_call"),
  /** The CLI's own; the result has the same. */
  id: z.string(),
  /** As the CLI calls it. */
  tool: z.string(),
  kind: toolKind,
  /** A line for people: the command, the path, the pattern. */
  summary: z.string(),
  /** What the model gave it, as JSON text, cut where it is long. */
  input: z.string(),
});

const toolResult = z.object({
  type: z.literal("tool_result"),
  id: z.string(),
  ok: z.boolean(),
  /** Cut where it is long. */
  output: z.string(),
  exitCode: z.number().int().nullable(),
});

const fileChange = z.object({
  type: z.literal("file_change"),
  path: z.string(),
  change: z.enum(["added", "modified", "deleted", "unknown"]),
});

/** Tokens since the usage event before it. */
const usage = z.object({ type: z.literal("usage"), tokens: tokenCount, usd: z.number().nullable() });

/** What the CLI says of its own end; what came of the run is the outcome, which knows more. */
const finished = z.object({ type: z.literal("finished"), ok: z.boolean(), message: z.string() });

/** A line that nobody knows, kept as it is, cut where it is long. */
const raw = z.object({ type: z.literal("raw"), stream: z.enum(["stdout", "stderr"]), line: z.string() });

const kinds = [started, text, thinking, toolCall, toolResult, fileChange, usage, finished, raw] as const;

/** What a driver reads from its CLI. */
export const agentSaying = z.discriminatedUnion("type", kinds);
export type AgentSaying = z.infer<typeof agentSaying>;

/** What a person said to the agent in the middle of its work. It is no saying of the CLI's. */
const message = z.object({
  type: z.literal("message"),
  text: z.string(),
  /** Why the agent begins a new conversation with it; null: it goes on with the one it had. */
  anew: z.string().nullable(),
});

/** The same in a run: numbered without a gap from 1, and with the time at which it was read. */
const place = { seq: z.number().int().positive(), at: z.iso.datetime() };
export const agentEvent = z.discriminatedUnion("type", [
  started.extend(place),
  text.extend(place),
  thinking.extend(place),
  toolCall.extend(place),
  toolResult.extend(place),
  fileChange.extend(place),
  usage.extend(place),
  finished.extend(place),
  raw.extend(place),
  message.extend(place),
]);
export type AgentEvent = z.infer<typeof agentEvent>;

/** Why a run was no success. What each means for the next run stands in one table of packages/agents. */
export const failureTypes = [
  "auth",
  "quota",
  "overloaded",
  "network",
  "policy",
  "budget",
  "context",
  "refusal",
  "max_turns",
  "tool_loop",
  "idle",
  "timeout",
  "crash",
  "lost",
  "removed",
  "cancelled",
  "denied",
  "malformed",
  "unknown",
] as const;
export const failureType = z.enum(failureTypes);
export type FailureType = z.infer<typeof failureType>;

export const agentFailure = z.object({
  type: failureType,
  /** What happened, in a sentence for the user. */
  message: z.string(),
  remedy: z.string(),
  /** quota: when it may be tried again, where that is known. */
  until: z.iso.datetime().nullable(),
});
export type AgentFailure = z.infer<typeof agentFailure>;
