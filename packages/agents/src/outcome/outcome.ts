import type { AgentFailure, ExecExit, TokenCount } from "@opentiger/schema";
import type { GatewayUsage } from "../run/gateway.ts";

/** What came of a run. */
export type AgentOutcome = OutcomeFacts & ({ ok: true } | { ok: false; failure: AgentFailure });

export interface OutcomeFacts {
  /** By which it can be resumed; null where it has none. */
  session: string | null;
  resumed: Resumption;
  /** Whether the conversation is kept outside the sandbox. */
  sessionKept: boolean;
  lastText: string | null;
  /** Checked against the task's schema; undefined where none was asked for, or what came was not good. */
  answer: unknown;
  /** What it wanted to do and was not allowed to; a success may have some. */
  denials: readonly string[];
  turns: number | null;
  /** What the CLI says it used. */
  cli: { tokens: TokenCount | null; usd: number | null };
  /** What the gateway counted, which is what counts; null without one. */
  gateway: GatewayUsage | null;
  /** null where nobody knows how it ended. */
  exit: ExecExit | null;
  /** How many events there were. */
  events: number;
  startedAt: string;
  durationMs: number;
}

/** Whether it went on with an earlier conversation. */
export type Resumption =
  | { asked: false }
  | { asked: true; done: true }
  | { asked: true; done: false; reason: string };
