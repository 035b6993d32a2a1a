import { setTimeout as sleep } from "node:timers/promises";
import { type Backend, type CreateOptions, collect, type Sandbox, SandboxError } from "@opentiger/sandbox";
import type { AgentName, ErrorCode, ExecutionEnvironment } from "@opentiger/schema";
import { OrchestratorError } from "../errors.ts";
import type { Place } from "../place.ts";
import { hostVariables } from "./host-variables.ts";
import { removeSeen } from "./remove-sandbox.ts";
import { type ShapeRequest, sandboxShape } from "./sandbox-shape.ts";
import { setupIn } from "./setup.ts";

export interface SandboxRequest extends ShapeRequest {
  name: string;
  /** Where a new one begins; one that is there stays as it is. */
  commit: string;
  environment: ExecutionEnvironment;
  /** The template of the agent that is going to work there. */
  agent: AgentName;
  /** Somebody began to work there: its clone was set up then, and is left as it is whatever a set-up depends on by now. */
  isBegun?: boolean;
  /** Cleans what the set-up says where it fails: on the host it has what agents log in with. */
  redact: (text: string) => string;
  signal: AbortSignal;
  say?: (line: string) => void;
  /** Hears what the user should know of the set-up, where it is done now and here. */
  onSetUp?: (notes: readonly string[]) => void;
}

/** How long another process, which has just lost it, may still be making the one of this name. */
const patienceMs = 15_000;
const lookEveryMs = 250;

/**
 * The sandbox of this name: the one that is there, else a new one with a private clone at the commit, in which the
 * project's set-up is done. Its first workspace is the clone. What was begun and not finished is finished or made anew.
 */
export async function makeSandbox(place: Place, request: SandboxRequest): Promise<Sandbox> {
  const backend = await place.backend(request.environment);
  const sandbox = await createOrOpen(backend, request.name, creation(place, request), request.signal);
  if (request.prepared.image !== null || request.isBegun) return sandbox;
  try {
    await setUpOnce(place, sandbox, request);
    return sandbox;
  } catch (error) {
    await sandbox.close();
    throw error;
  }
}

/**
 * The sandbox of this name that somebody began to work in, known by its id; nothing that one is made of is needed for it.
 * undefined: it is gone, or cannot be used any more.
 */
export async function reopenSandbox(
  place: Place,
  { name, id, environment, signal }: Pick<SandboxRequest, "name" | "environment" | "signal"> & { id: string },
): Promise<Sandbox | undefined> {
  const backend = await place.backend(environment);
  const end = performance.now() + patienceMs;
  for (;;) {
    const opened = await unless(unusable, () => backend.open(name));
    if (opened?.id === id) return opened;
    await opened?.close().catch(() => {});
    const isThere = (await backend.list()).some((each) => each.own && each.name === name && each.id === id);
    if (!isThere || performance.now() > end) return undefined;
    await sleep(lookEveryMs, undefined, { signal });
  }
}

function creation(place: Place, request: SandboxRequest): CreateOptions {
  const { name, project, commit, agent, environment, prepared, signal, say } = request;
  const named = place.config.get("OPENTIGER_HOST_VARIABLES");
  return {
    ...sandboxShape(place, request),
    name,
    agent,
    workspaceKind: "clone",
    commit,
    ...(prepared.image === null ? {} : { pull: "never" }),
    env: project.env,
    ...(environment === "host" ? { inherit: hostVariables(agent, named) } : {}),
    signal,
    ...(say ? { onProgress: say } : {}),
  };
}

/** What tells that there is nothing of this name that could be used. */
const unusable: readonly ErrorCode[] = ["not_found", "sandbox_broken", "sandbox_unfinished"];

async function createOrOpen(
  backend: Backend,
  name: string,
  options: CreateOptions,
  signal: AbortSignal,
): Promise<Sandbox> {
  const end = performance.now() + patienceMs;
  for (;;) {
    const created = await unless(["already_exists"], () => backend.create(options));
    if (created) return created;
    signal.throwIfAborted();
    const left = (await backend.list()).find((each) => each.own && each.name === name);
    const opened = await unless(unusable, () => backend.open(name));
    if (opened) return opened;
    // What is left of it is in the way; somebody who lives and is still making it does not let go of it (`sandbox_unfinished`).
    // Only what was seen before it could not be opened: another that somebody has made since then is theirs.
    if (left && performance.now() > end) await removeSeen(backend, left);
    await sleep(lookEveryMs, undefined, { signal });
    if (performance.now() > end + patienceMs) return backend.create(options);
  }
}

async function unless<T>(codes: readonly ErrorCode[], act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof SandboxError && codes.includes(error.code)) return undefined;
    throw error;
  }
}

/** In .git, where nothing of the repository is: that the set-up has come to its end in this clone, */
const mark = `"$(git rev-parse --git-path opentiger-set-up)"`;
/** and a line for each time that it failed there. */
const failures = `"$(git rev-parse --git-path opentiger-set-up-failures)"`;

/** Without a prepared image each clone is set up by itself, once. */
async function setUpOnce(place: Place, sandbox: Sandbox, request: SandboxRequest): Promise<void> {
  const { project, prepared, redact, signal, say = () => {}, onSetUp } = request;
  // Where there is nothing to do, reports of checks still must never be committed.
  const { setup } = prepared;
  if (setup.length === 0 && project.verify.every(({ reporter }) => !reporter?.path)) return;
  const cwd = sandbox.workspaces[0]?.path ?? "/";
  const shell = async (script: string): Promise<string> => {
    const { stdout } = await collect(await sandbox.exec(["sh", "-c", script, "sh", prepared.key], { cwd }));
    return stdout.toString("utf8").trim();
  };
  if ((await shell(`cat ${mark} 2> /dev/null`)) === prepared.key) return;
  const timeoutMs = place.config.get("OPENTIGER_SETUP_TIMEOUT");
  // An exec that has ended stays what its id means: after a failure the commands need others to be run again.
  const failed = await shell(`cat ${failures} 2> /dev/null | wc -l`);
  const execId = `setup-${prepared.key.slice(0, 16)}-${failed}`;
  try {
    const done = await setupIn(sandbox, { ...project, setup }, { timeoutMs, execId, signal, redact, say });
    onSetUp?.(done.notes);
  } catch (error) {
    if (error instanceof OrchestratorError && error.code === "setup_failed") {
      await shell(`echo "$1" >> ${failures}`);
    }
    throw error;
  }
  await shell(`printf %s "$1" > ${mark}`);
}
