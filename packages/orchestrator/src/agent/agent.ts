import {
  type AgentOutcome,
  type AgentRun,
  type AgentTask,
  ensureAgent,
  type RunRequest,
} from "@opentiger/agents";
import type { Sandbox } from "@opentiger/sandbox";
import type { Place } from "../place.ts";
import { leftToOthers } from "../stage/lease-lost.ts";
import type { Lease } from "../state/lease.ts";
import type { LoopRow } from "../state/loops.ts";
import { noteRun, type RunRow } from "../state/runs.ts";
import { noteGiven, type TaskMessageRow } from "../state/task-messages.ts";
import type { AgentChoice } from "./agent-choice.ts";
import { credentialEnvironment } from "./credentials.ts";
import { EventRecord, type SaidToAgent } from "./event-record.ts";
import { openGateway } from "./gateway.ts";
import { secretsWithin } from "./known-secrets.ts";
import { watchMessages } from "./message-watch.ts";
import { sessionsFolder, transcriptFile } from "./run-files.ts";
import { placedText } from "./said.ts";
import { stopSignals } from "./stop-signals.ts";

/** What an agent is run for, and where. */
export interface AgentRequest {
  lease: Lease;
  loop: Pick<LoopRow, "id" | "settings">;
  run: RunRow;
  choice: AgentChoice;
  /** Credentials were given to it; the agent works in its first workspace. */
  sandbox: Sandbox;
  task: AgentTask;
  /** What is asked instead where the conversation cannot be resumed. */
  promptIfFresh?: string | undefined;
  /** What it finds in its environment besides. */
  env?: Readonly<Record<string, string>>;
  /** How long the agent may take. */
  timeoutMs: number;
  signal: AbortSignal;
}

/** The same, where one run has several turns and people may step in. */
export interface TurnRequest extends AgentRequest {
  /** From 0 on; each is an agent of its own, with a name of its own. */
  turn: number;
  /** What people said, with which this turn begins. */
  said: readonly TaskMessageRow[];
}

/**
 * The agent of a run, from its start to its outcome, with its requests metered and its events written down. Begun once
 * whoever dies meanwhile: after a crash the same call goes on with the agent that is at work. Throws the signal's reason
 * where the stage is another process's now; the agent goes on then.
 */
export async function withAgent(place: Place, request: TurnRequest): Promise<AgentOutcome> {
  const { lease, run, said, turn } = request;
  return throughGateway(place, request, async (whole, record) => {
    const parts = ofTurn(whole, turn);
    const agent = await ensureAgent({ ...parts, after: await record.heardOf(parts.id, said.length) });
    await noteRun(place.database, lease, run.id, { execId: agent.execId });
    if (said.length > 0) await noteGiven(place.database, lease, { run: run.id, turn });
    const watch = watchMessages(place, lease.task, () => agent.cancel("a person has something to say"));
    try {
      await record.follow(agent, said.map(saidTo(agent, request)));
      return await agent.outcome;
    } finally {
      watch.stop();
    }
  });
}

function ofTurn<Parts extends { id: string; transcript: string }>(parts: Parts, turn: number): Parts {
  if (turn === 0) return parts;
  return { ...parts, id: `${parts.id}-${turn + 1}`, transcript: `${parts.transcript}.${turn + 1}` };
}

/** How it stands in the transcript: with why the agent did not go on with its conversation, where it did not. */
function saidTo(
  { resumed }: AgentRun,
  { turn, choice }: TurnRequest,
): (message: TaskMessageRow) => SaidToAgent {
  const { title, abilities } = choice.driver;
  const without = abilities.resume
    ? "there was none yet that could be gone on with"
    : `${title} cannot resume one`;
  const notAsked = turn === 0 ? null : without;
  const notDone = resumed.asked && !resumed.done ? resumed.reason : null;
  const anew = resumed.asked ? notDone : notAsked;
  return ({ at, ...message }) => ({ text: placedText(message), anew, at: at.toISOString() });
}

/** Everything around an agent that this process starts or takes over, closed again at the end. */
export async function throughGateway<T>(
  place: Place,
  request: AgentRequest,
  work: (parts: RunRequest, record: EventRecord) => Promise<T>,
): Promise<T> {
  const { lease, run, sandbox, signal } = request;
  const stop = stopSignals(signal);
  const record = await EventRecord.open(place, lease, run);
  try {
    const transcript = transcriptFile(place, run);
    const [gateway, credentials, backend] = await Promise.all([
      openGateway(place, request),
      credentialEnvironment(place, sandbox),
      place.backend(sandbox.backend === "host" ? "host" : "sandbox"),
      noteRun(place.database, lease, run.id, { sandbox: sandbox.name, transcript }),
    ]);
    const env = { ...request.env, ...credentials };
    const parts: RunRequest = {
      id: run.id,
      driver: request.choice.driver,
      task: request.task,
      ...(request.promptIfFresh === undefined ? {} : { promptIfFresh: request.promptIfFresh }),
      sandbox,
      reopen: () => backend.open(sandbox.name),
      cwd: sandbox.workspaces[0]?.path ?? "/",
      env,
      limits: { timeoutMs: request.timeoutMs, idleMs: place.config.get("OPENTIGER_IDLE_TIMEOUT") },
      gateway,
      redact: await secretsWithin(place, [sandbox], env),
      transcript,
      sessions: sessionsFolder(place),
      signal: stop.cancel,
      letGo: stop.letGo,
    };
    const result = await work(parts, record);
    // It counts until the next one begins; a gateway that is not there has nothing to end.
    await gateway.end().catch((error: unknown) => place.log(`run ${run.id}: ${String(error)}`));
    return result;
  } catch (error) {
    if (leftToOthers(signal)) throw signal.reason;
    throw error;
  } finally {
    stop.leave();
    await record.close();
  }
}
