import { existsSync, readdirSync } from "node:fs";
import { DispatcherClient, EmbeddedPostgres, rolesOfProcess } from "@opentiger/orchestrator";
import { SandboxError, socketFolder, startTimeOf, stateFolder } from "@opentiger/sandbox";
import { Sandboxd } from "@opentiger/sandboxd";
import { ServerClient } from "@opentiger/server/control";

export interface TakeDownOptions {
  /** Whether what is being worked on is waited for. */
  drain: boolean;
  /** Told what takes a while. */
  say: (sentence: string) => void;
  /** Aborted: it is not waited for any longer. */
  signal?: AbortSignal;
}

export interface TakenDown {
  server: boolean;
  /** Those that claimed. */
  processes: string[];
  /** false: none ran, or something still needs it. */
  sandboxd: boolean;
  /** Why sandboxd may still run, where it could not be asked. */
  trouble: string | null;
  database: boolean;
  /** On how many stages they worked that are not done: their agents go on. */
  goOn: number;
}

/**
 * Ends the server, then whoever works on loops, then sandboxd and the embedded database. Agents and sandboxes go on, and so
 * does sandboxd where there is one of them; the next dispatcher adopts them.
 */
export async function takeDown(
  env: NodeJS.ProcessEnv,
  { drain, say, signal }: TakeDownOptions,
): Promise<TakenDown> {
  const server = new ServerClient(env);
  server.noteDown();
  // First, since it would start again what ends.
  const taken: TakenDown = {
    server: await server.stop(),
    processes: [],
    sandboxd: false,
    trouble: null,
    database: false,
    goOn: 0,
  };
  await Promise.all(
    claimerNames(env).map(async (name) => {
      const client = new DispatcherClient(env, name);
      const status = await client.status();
      if (!status) return;
      const { working, pid } = status;
      if (drain && working > 0) say(`${name} ends when ${stages(working)} that it works on are done`);
      const done = drain ? await drained(client, pid, signal) : !(await client.stop());
      taken.processes.push(name);
      if (!done) taken.goOn += working;
    }),
  );
  Object.assign(taken, await stopUnneeded(new Sandboxd(env)));
  taken.database = await new EmbeddedPostgres(env).stop();
  return taken;
}

export function stages(count: number): string {
  return count === 1 ? "1 stage" : `${count} stages`;
}

/** Says whether it was stopped after what it worked on was done. Who is not waited for any longer is told again, without. */
async function drained(client: DispatcherClient, pid: number, signal?: AbortSignal): Promise<boolean> {
  const started = startTimeOf(pid);
  try {
    await client.stop({ drain: true, ...(signal ? { signal } : {}) });
    return true;
  } catch (error) {
    if (!signal?.aborted) throw error;
    // It answers nobody while it drains, since another may be started meanwhile.
    if (startTimeOf(pid) === started) process.kill(pid, "SIGTERM");
    return false;
  }
}

/** One that hangs holds nothing else up. */
async function stopUnneeded(sandboxd: Sandboxd): Promise<Pick<TakenDown, "sandboxd" | "trouble">> {
  try {
    const status = await sandboxd.status();
    const needed = status && (status.sandboxes.length > 0 || status.hostRuns > 0);
    return { sandboxd: needed ? false : await sandboxd.stop(), trouble: null };
  } catch (error) {
    const why = error instanceof SandboxError ? error.message : "what it says of itself cannot be read";
    return { sandboxd: false, trouble: `sandboxd was not stopped: ${why}; see ${sandboxd.paths.log}` };
  }
}

/** By their sockets; one that a killed process left is found out by whoever asks. */
export function claimerNames(env: NodeJS.ProcessEnv): string[] {
  const folder = stateFolder(env);
  if (!existsSync(folder)) return [];
  return readdirSync(socketFolder(folder))
    .filter((file) => file.endsWith(".sock"))
    .map((file) => file.slice(0, -".sock".length))
    .filter(isClaimer);
}

function isClaimer(name: string): boolean {
  try {
    rolesOfProcess(name);
    return true;
  } catch {
    return false;
  }
}
