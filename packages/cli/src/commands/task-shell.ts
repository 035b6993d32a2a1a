import { type OpenPlace, OrchestratorError, type TaskRow } from "@opentiger/orchestrator";
import { type Backend, type Sandbox, SandboxError } from "@opentiger/sandbox";
import { withCredentials } from "@opentiger/sandboxd";
import { executionEnvironments } from "@opentiger/schema";
import { UsageError } from "../errors.ts";
import { runAtTerminal } from "../exec/host-terminal.ts";
import { ownSize, relayTerminal } from "../exec/terminal.ts";
import { audited, taskAction } from "../loop/audited.ts";
import { loopNamed, taskNumbered } from "../loop/find.ts";
import { type LoopVerbOptions, withPlace } from "../loop/place.ts";
import { latestTaskSandbox } from "../loop/task-sandbox.ts";
import type { Surroundings } from "../program/surroundings.ts";

/**
 * A terminal where the agent of a task works: the same files, user and network. What it does there, the agent sees. The
 * database is not kept open meanwhile: somebody may sit there for hours.
 */
export async function taskShell(
  loop: string,
  number: string,
  options: LoopVerbOptions,
  surroundings: Surroundings,
): Promise<number> {
  if (!surroundings.stdin.isTTY) throw withoutTerminal(loop, number);
  const sandbox = await withPlace(surroundings, options, async (place) => {
    const task = await taskNumbered(place.database, await loopNamed(place.database, loop), number);
    return audited(
      place.database,
      taskAction("shell", task),
      async () => (await sandboxOf(place, task)) ?? nowhere(task),
    );
  });
  try {
    return await shellIn(sandbox, surroundings);
  } finally {
    await sandbox.close();
  }
}

/** The one in which it works, or worked last; undefined: there is none any more. */
async function sandboxOf(place: OpenPlace, task: TaskRow): Promise<Sandbox | undefined> {
  for (const environment of executionEnvironments) {
    const backend: Backend | undefined = await place.backend(environment).catch(() => undefined);
    const latest = latestTaskSandbox((await backend?.list().catch(() => [])) ?? [], task);
    if (backend && latest) return backend.open(latest.name).catch(unlessGone);
  }
  return undefined;
}

/** It was removed while we looked. */
function unlessGone(error: unknown): undefined {
  if (!(error instanceof SandboxError) || error.code !== "not_found") throw error;
  return undefined;
}

async function shellIn(sandbox: Sandbox, { env, stderr }: Surroundings): Promise<number> {
  const cwd = sandbox.workspaces[0]?.path;
  stderr.write(`${sandbox.name}${cwd === undefined ? "" : `: ${cwd}`}; exit leaves it\n`);
  // Nothing is isolated there: it is the user's own shell, in the agent's clone.
  if (sandbox.backend === "host")
    return runAtTerminal(sandbox, [env["SHELL"] || "bash"], env, { stdin: "inherit" });
  const given = await withCredentials(sandbox, { TERM: env["TERM"] ?? "xterm" }, env);
  const terminal = await sandbox.terminal(["bash", "-l"], { env: given, ...ownSize() });
  return relayTerminal(terminal, { stdin: true, keys: undefined, env });
}

function withoutTerminal(loop: string, number: string): UsageError {
  return new UsageError(
    "a shell needs a terminal, and stdin is none",
    `Run it at one. What its agent does: opentiger run logs -f ${loop} ${number}`,
  );
}

function nowhere({ number, loop, state }: TaskRow): never {
  const ended = ["done", "failed", "cancelled"].some((end) => state.startsWith(end));
  const why = ended ? "has ended, and its sandbox is gone" : "has no sandbox yet";
  const remedy = ended
    ? `what it did: opentiger task show ${loop} ${number}`
    : `it gets one when an agent begins: opentiger loop events -f ${loop}`;
  throw new OrchestratorError("not_found", `task ${number} of loop ${loop} is ${state}: it ${why}`, {
    remedy,
  });
}
