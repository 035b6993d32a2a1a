import type { ExecExit } from "@opentiger/schema";
import { checkAnswer } from "../answers/check-answer.ts";
import type { AgentEnding } from "../driver.ts";
import { blockedModel } from "../outcome/blocked-model.ts";
import { classify, type Stop } from "../outcome/classify.ts";
import type { AgentOutcome, OutcomeFacts, Resumption } from "../outcome/outcome.ts";
import {
  type GatewayRecord,
  type GatewayUsage,
  gatewayTimeoutMs,
  type NetworkRow,
  type RunGateway,
} from "./gateway.ts";
import type { Heard } from "./heard.ts";
import { inTime } from "./in-time.ts";
import type { AdoptRequest } from "./request.ts";
import type { RunRecord } from "./transcript-record.ts";

export interface RunOver {
  request: AdoptRequest;
  run: RunRecord;
  exit: ExecExit | null;
  isSandboxRemoved: boolean;
  at: number;
  stop: Stop | null;
  ending: AgentEnding;
  events: number;
  heard: Heard;
  sessionKept: boolean;
}

/** What came of a run that is over. */
export async function conclude(over: RunOver): Promise<AgentOutcome> {
  const { request, run, exit, isSandboxRemoved, at, stop, ending, heard } = over;
  const { lastToolWorked, stderr } = heard;
  const { requests, usage, network } = await askGateway(request.gateway, run.startedAt);
  const blocked = blockedModel(network, {
    since: run.startedAt,
    agent: request.driver.template,
    env: request.env,
  });
  const answer = request.task.answer && checkAnswer(request.driver, request.task.answer, ending);
  const seen = { stop, exit, isSandboxRemoved, ending, requests, blocked, answer, lastToolWorked, stderr };
  const failure = classify(seen);
  const facts: OutcomeFacts = {
    session: ending.session ?? heard.session,
    resumed: resumptionOf(run, heard),
    sessionKept: over.sessionKept,
    lastText: ending.lastText,
    answer: answer?.ok ? answer.value : undefined,
    denials: ending.denials,
    turns: ending.turns,
    cli: { tokens: ending.tokens, usd: ending.usd },
    gateway: usage,
    exit,
    events: over.events,
    startedAt: new Date(run.startedAt).toISOString(),
    durationMs: Math.max(0, at - run.startedAt),
  };
  return failure ? { ok: false, failure, ...facts } : { ok: true, ...facts };
}

/** The CLI has the last word: what we put before it may be nothing to it. */
export function resumptionOf({ resumed }: RunRecord, heard: Heard): Resumption {
  if (!resumed.asked) return { asked: false };
  if (resumed.done && heard.resumed === false)
    return { asked: true, done: false, reason: "the agent began a new conversation by itself" };
  return resumed.done
    ? { asked: true, done: true }
    : { asked: true, done: false, reason: resumed.reason ?? "" };
}

/** Only what was asked since the run began: several runs may be one to the gateway. */
async function askGateway(gateway: RunGateway | undefined, since: number): Promise<Known> {
  if (!gateway) return { requests: [], usage: null, network: [] };
  const [requests, usage, network] = await Promise.all([
    inTime(gateway.requests(), { ms: gatewayTimeoutMs, otherwise: [] }),
    inTime<GatewayUsage | null>(gateway.usage(), { ms: gatewayTimeoutMs, otherwise: null }),
    inTime(gateway.network?.() ?? Promise.resolve([]), { ms: gatewayTimeoutMs, otherwise: [] }),
  ]);
  return { requests: requests.filter(({ at }) => Date.parse(at) >= since), usage, network };
}

interface Known {
  requests: readonly GatewayRecord[];
  usage: GatewayUsage | null;
  network: readonly NetworkRow[];
}
