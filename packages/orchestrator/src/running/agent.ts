import { type AgentOutcome, type AgentTask, ensureAgent, type RunRequest } from "@opentiger/agents";
import type { Sandbox } from "@opentiger/sandbox";
import { leftToOthers } from "../dispatch/lease-lost.ts";
import type { Place } from "../place.ts";
import type { Lease } from "../state/lease.ts";
import type { LoopRow } from "../state/loops.ts";
import { noteRun, type RunRow } from "../state/runs.ts";
import type { AgentChoice } from "./agent-choice.ts";
import { credentialEnvironment } from "./credentials.ts";
import { EventRecord } from "./event-record.ts";
import { openGateway } from "./gateway.ts";
import { knownSecrets } from "./known-secrets.ts";
import { sessionsFolder, transcriptFile } from "./run-files.ts";
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

/**
 * The agent of a run, from its start to its outcome, with its requests metered and its events written down. Begun once
 * whoever dies meanwhile: after a crash the same call goes on with the agent that is at work. Throws the signal's reason
 * where the stage is another process's now; the agent goes on then.
 */
export async function withAgent(place: Place, request: AgentRequest): Promise<AgentOutcome> {
  return throughGateway(place, request, async (parts, record) => {
    const agent = await ensureAgent({ ...parts, after: await record.heardOf(parts.id) });
    await noteRun(place.database, request.lease, request.run.id, { execId: agent.execId });
    await record.follow(agent);
    return agent.outcome;
  });
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
      redact: knownSecrets(place.env, env),
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
