import { rmSync } from "node:fs";
import { posix } from "node:path";
import { anySignal, errno } from "@opentiger/schema";
import type { AgentTask, LaunchPlace, SessionRequest } from "../driver.ts";
import { Follower } from "./follower.ts";
import { launchedCommand, makeRunFolder, putLaunch, removeRunFolder } from "./prepare.ts";
import { type AgentRun, defaultLimits, type RunRequest } from "./request.ts";
import { resumption } from "./resume.ts";
import { longestTimer } from "./timer.ts";
import { Transcript } from "./transcript.ts";
import type { RunRecord } from "./transcript-record.ts";

/**
 * Starts an agent on a task in a sandbox of any backend. Resolves when its CLI runs; rejects where it cannot be started,
 * and then nothing of it is left. From then on the outcome tells what came of it, whatever that is.
 */
export async function runAgent(request: RunRequest): Promise<AgentRun> {
  return startAgent(request, "refused");
}

/** The same, where it is known what becomes of the folder that an earlier start of this run may have left. */
export async function startAgent(request: RunRequest, left: "refused" | "removed"): Promise<AgentRun> {
  const { sandbox, driver, gateway } = request;
  const signal = anyOf(request.signal, request.letGo);
  signal?.throwIfAborted();
  const env = { ...request.env, ...gateway?.env };
  const parent = parentFolder(request);
  const folder = runFolder(request);
  const made = { parent, folder, cwd: request.cwd, env, left, signal };
  const { home, cwd } = await makeRunFolder(sandbox, made);
  const place: LaunchPlace = { backend: sandbox.backend, cwd, home, folder, env };
  try {
    const { resumed, session } = await resumption(request, place);
    const task = taskFor(request, resumed, session);
    const launch = driver.launch(task, place);
    const launchEnv = { ...env, ...launch.env };
    await putLaunch(sandbox, place, launch, { env: launchEnv, signal });
    const run: RunRecord = {
      kind: "run",
      version: 1,
      id: request.id,
      execId: execIdOf(request.id),
      driver: driver.name,
      startedAt: Date.now(),
      place: { backend: place.backend, cwd, home: place.home, folder },
      session: task.session,
      resumed,
    };
    const follower = new Follower({ ...request, task }, run, place);
    const transcript = Transcript.begin(request.transcript, run);
    try {
      const execution = await sandbox.exec(launchedCommand(place, launch), {
        id: run.execId,
        env: launchEnv,
        cwd,
        timeoutMs: Math.min(longestTimer, request.limits?.timeoutMs ?? defaultLimits.timeoutMs),
      });
      return follower.follow(transcript, execution);
    } catch (error) {
      transcript.close();
      if (!isOthers(error, request)) rmSync(request.transcript, { force: true });
      throw error;
    }
  } catch (error) {
    if (!isOthers(error, request)) await removeRunFolder(sandbox, place).catch(() => {});
    throw error;
  }
}

/** The run's own folder, as it is called inside. */
export function runFolder(request: Pick<RunRequest, "id" | "folder" | "sandbox">): string {
  return posix.join(parentFolder(request), `opentiger-run-${request.id}`);
}

/** In a container everything goes with the sandbox; on the host, what lies beside its clone. */
function parentFolder({ folder, sandbox }: Pick<RunRequest, "folder" | "sandbox">): string {
  if (folder !== undefined) return folder;
  const { backend, workspaceKind, workspaces } = sandbox;
  const clone = backend === "host" && workspaceKind === "clone" ? workspaces[0]?.path : undefined;
  return clone === undefined ? "/tmp" : posix.dirname(clone);
}

function anyOf(...signals: (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter((signal) => signal !== undefined);
  return given.length === 0 ? undefined : anySignal(given);
}

/** Another process has the run, or is going to: nothing is taken from under it. */
function isOthers(error: unknown, { letGo }: RunRequest): boolean {
  const begunByAnother = errno(error) === "EEXIST";
  return begunByAnother || letGo?.aborted === true;
}

/** By which the exec is found again. */
function execIdOf(run: string): string {
  return `run-${run}`;
}

/** A conversation that cannot be resumed is begun anew, with the prompt that was meant for that. */
function taskFor(
  { task, promptIfFresh }: RunRequest,
  resumed: RunRecord["resumed"],
  session: SessionRequest,
): AgentTask {
  const isFresh = resumed.asked && !resumed.done;
  return { ...task, session, prompt: isFresh ? (promptIfFresh ?? task.prompt) : task.prompt };
}
