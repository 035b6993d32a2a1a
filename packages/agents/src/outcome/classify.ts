import { type AgentFailure, type ExecExit, type FailureType, firstCharacters } from "@opentiger/schema";
import type { CheckedAnswer } from "../answers/check-answer.ts";
import type { AgentEnding } from "../driver.ts";
import type { GatewayRecord } from "../run/gateway.ts";
import { failureRules } from "./failures.ts";
import { gatewayFailure, statusFailure } from "./gateway-evidence.ts";

/** Why we ended a run ourselves. */
export interface Stop {
  type: Extract<FailureType, "cancelled" | "idle" | "timeout" | "tool_loop" | "max_turns" | "overloaded">;
  message: string;
}

/** Everything that is known of a run that is over. */
export interface Evidence {
  stop: Stop | null;
  /** null where nobody knows how it ended. */
  exit: ExecExit | null;
  /** Whether its sandbox is known to be no more. */
  isSandboxRemoved: boolean;
  ending: AgentEnding;
  /** Of this run, oldest first; none without a gateway. */
  requests: readonly GatewayRecord[];
  /** The model's host, where the policy of the sandbox kept the run from it. */
  blocked: string | undefined;
  /** undefined where none was asked for. */
  answer: CheckedAnswer | undefined;
  /** Whether the last tool call that has a result worked; null where there was none. */
  lastToolWorked: boolean | null;
  /** The end of stderr: shown, never searched. */
  stderr: string;
}

/**
 * Why a run was no success; undefined for a success. The first that applies, in this order:
 *
 * 1. it was cancelled, or we ended it for another reason, unless it was done just before it could be told;
 * 2. its sandbox was removed, or nobody knows for another reason how it ended;
 * 3. it was killed, or ran out of memory: then no answer of a model was the reason;
 * 4. unless the CLI says that all went well: what the gateway saw last, then that the model's host is blocked, then the
 *    CLI's own error;
 * 5. it was not allowed to do something, and nothing worked after that;
 * 6. it ended without its last word;
 * 7. the answer is missing or not as asked for;
 * 8. it says that it failed, by its status alone.
 */
export function classify(evidence: Evidence): AgentFailure | undefined {
  const { stop, exit, ending } = evidence;
  if (stop && !cameTooLate(evidence)) return waitedInVain(evidence) ?? failureOf(stop.type, stop.message);
  if (!exit) return failureOf(evidence.isSandboxRemoved ? "removed" : "lost");
  if (exit.reason === "timeout") return keptFrom(evidence) ?? failureOf("timeout");
  if (exit.signal !== null) return killed(exit);
  if (saysFailed(evidence) || ending.error || !ending.complete) {
    const cause = causeOf(evidence);
    if (cause) return cause;
  }
  if (isDenied(evidence)) return denied(ending.denials);
  if (!ending.complete) return unfinished(exit, evidence.stderr);
  if (evidence.answer && !evidence.answer.ok) return failureOf("malformed", evidence.answer.problem);
  if (ending.error) return failureOf("unknown", ending.error.message);
  return saysFailed(evidence) ? failureOf("unknown", endedWith(exit, evidence.stderr)) : undefined;
}

/** A CLI that tries again and again, and will never be let through. */
function waitedInVain(evidence: Evidence): AgentFailure | undefined {
  const waited = ["idle", "timeout", "overloaded"].includes(evidence.stop?.type ?? "");
  return waited ? keptFrom(evidence) : undefined;
}

/** What the gateway was asked is known better there. */
function keptFrom({ blocked, requests }: Evidence): AgentFailure | undefined {
  return blocked !== undefined && requests.length === 0
    ? failureOf("policy", `${blocked} is blocked`)
    : undefined;
}

/** By its status. */
function saysFailed({ exit, ending }: Evidence): boolean {
  return exit?.code !== 0 && !ending.recovered;
}

/** What is noticed by its own words may be noticed after its last one. */
function cameTooLate({ stop, exit, ending }: Evidence): boolean {
  const noticed = stop && ["tool_loop", "max_turns", "overloaded"].includes(stop.type);
  return noticed === true && exit?.code === 0 && ending.complete && !ending.error;
}

function causeOf(evidence: Evidence): AgentFailure | undefined {
  const { requests, ending } = evidence;
  const { error } = ending;
  const seen = gatewayFailure(requests, error);
  if (seen)
    return failureOf(
      seen.type,
      error?.message,
      seen.until ?? (seen.type === "quota" ? untilOf(error) : null),
    );
  const kept = keptFrom(evidence);
  if (kept) return kept;
  const type = error?.type ?? (error?.status ? statusFailure(error.status) : undefined);
  return type && failureOf(type, error?.message, type === "quota" ? untilOf(error) : null);
}

function untilOf(error: AgentEnding["error"]): string | null {
  return error?.until ?? null;
}

/** A CLI that gave up what it was not allowed to do and then did the rest another way was successful all the same. */
function isDenied(evidence: Evidence): boolean {
  const { ending, lastToolWorked, answer } = evidence;
  if (ending.denials.length === 0) return false;
  if (saysFailed(evidence) || ending.error) return true;
  return lastToolWorked === false && answer?.ok !== true;
}

function denied(denials: readonly string[]): AgentFailure {
  const named = [...new Set(denials)].slice(0, 5).join(", ");
  return failureOf("denied", `it was not allowed: ${named}`);
}

function killed(exit: ExecExit): AgentFailure {
  return failureOf(
    "crash",
    exit.reason === "memory" ? "it was out of memory" : `it was ended by ${exit.signal}`,
  );
}

function unfinished(exit: ExecExit, stderr: string): AgentFailure {
  return failureOf("crash", `${endedWith(exit, "")} before its last word${lastWords(stderr)}`);
}

function endedWith(exit: ExecExit, stderr: string): string {
  return `it ended with status ${exit.code}${lastWords(stderr)}`;
}

function lastWords(stderr: string): string {
  return stderr === "" ? "" : `: ${stderr}`;
}

const longestDetail = 500;

/** The rule's sentence, and behind it what is known of this one. */
export function failureOf(type: FailureType, detail?: string, until: string | null = null): AgentFailure {
  const { sentence, remedy } = failureRules[type];
  const known = firstCharacters(detail?.trim() ?? "", longestDetail);
  const message = known ? `${sentence.replace(/\.$/, "")}: ${known}` : sentence;
  return { type, message, remedy, until: isoOrNull(until) };
}

/** It may come from a CLI: whatever it is, an outcome has a time or none. */
function isoOrNull(until: string | null): string | null {
  if (until === null) return null;
  const time = Date.parse(until);
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}
