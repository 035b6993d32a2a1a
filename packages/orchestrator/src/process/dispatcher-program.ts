import { existsSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openState, stateFolder } from "@opentiger/sandbox";
import { claimSocket } from "@opentiger/sandboxd";
import { opentigerVersion, type StageRole } from "@opentiger/schema";
import { Dispatcher } from "../dispatch/dispatcher.ts";
import { OrchestratorError } from "../errors.ts";
import { outdatedBy } from "../state/migrations/migrate.ts";
import { boundLog } from "../state/postgres/log-file.ts";
import type { DispatcherStatus } from "./dispatcher-client.ts";
import { dispatcherPaths } from "./dispatcher-paths.ts";
import { startDispatcher } from "./ensure-dispatcher.ts";
import { logLine } from "./line-log.ts";
import { type OpenPlace, openPlace } from "./open-place.ts";
import { hasOpenWork } from "./open-work.ts";
import { dispatcherName, processSkipped, rolesOfProcess } from "./process-name.ts";

interface ProgramOptions {
  name: string;
  roles: readonly StageRole[];
  leaseMs: number | undefined;
  idleMs: number;
}

/** Without anything to do, and without anybody who asks, for so long it ends; whoever starts a loop starts another. */
const usualIdleMs = 10 * 60_000;

/** How soon it is noticed that there is nothing to do, that the settings changed, or that the socket is gone. */
const lookEveryMs = 5_000;

/** A log does not grow by much meanwhile. */
const boundLogEveryMs = 60_000;

/** The dispatcher as a process: started by whoever needs it first, detached. It may be killed at any time. */
export async function dispatcherProgram(words: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  process.umask(0o077);
  process.on("uncaughtException", (error) => logLine(`uncaught: ${error.stack}`));
  process.on("unhandledRejection", (error) => logLine(`unhandled: ${String(error)}`));
  process.on("SIGHUP", () => {});
  const options = readOptions(words);
  const state = openState(stateFolder(env));
  const paths = dispatcherPaths(state.folder, options.name);
  const server = createServer();
  const claim = await claimSocket(paths.socket, server);
  if (!claim) return logLine(`another ${options.name} runs already`);

  const program = new RunningProgram(options, server);
  let place: OpenPlace;
  try {
    place = await openPlace(env, { program: options.name, log: logLine, say: logLine });
    // It would claim nothing, and say so in its log alone, again and again.
    place.config.check();
    const skip = processSkipped(place.config, options.name);
    if (skip.skipped) {
      process.stdout.write(`${JSON.stringify(skip)}\n`);
      await place.close();
      return claim.release();
    }
  } catch (error) {
    claim.release();
    throw error;
  }
  const tending = setInterval(() => boundLog(paths.log), boundLogEveryMs);
  const why = await program.run(place, claim);
  logLine(`${options.name} ends: ${why}`);
  clearInterval(tending);
  const successor =
    needsSuccessor(why, state.folder) && (await hasOpenWork(place.database).catch(() => false));
  await place.close().catch(() => {});
  if (successor) startDispatcher(env, paths, options.name);
}

const nothingToDo = "there is nothing to do";
const socketGone = "its socket is gone";

/**
 * Somebody may have begun a loop while they still saw us; and a socket may have been swept away with other old files. In a
 * state folder that was removed, nothing is begun.
 */
function needsSuccessor(why: string, stateFolder: string): boolean {
  return (why === nothingToDo || why === socketGone) && existsSync(join(stateFolder, "instance"));
}

type Claim = NonNullable<Awaited<ReturnType<typeof claimSocket>>>;

/** From its first claim until it is told to end, or has nothing to do. */
class RunningProgram {
  readonly #options: ProgramOptions;
  readonly #startedAt = new Date().toISOString();
  readonly #end: Promise<string>;
  #tellEnd: (why: string) => void = () => {};
  #dispatcher: Dispatcher | undefined;
  #drain = false;
  #neededAt = 0;

  constructor(options: ProgramOptions, server: Server) {
    this.#options = options;
    this.#end = new Promise((resolve) => {
      this.#tellEnd = resolve;
    });
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => this.#stop(signal));
    server.on("request", ({ method, url }, response) => {
      // A server that looks after us does not want to find us gone.
      this.#neededAt = performance.now();
      if (method === "POST") this.#stop("asked to", { drain: url === "/drain" });
      response.setHeader("content-type", "application/json").end(JSON.stringify(this.#status()));
    });
  }

  /** Says why it ended. */
  async run(place: OpenPlace, claim: Claim): Promise<string> {
    const { name, roles, leaseMs, idleMs } = this.#options;
    this.#dispatcher = Dispatcher.start(place, {
      roles,
      reconciles: roles.length > 1,
      ...(leaseMs === undefined ? {} : { leaseMs }),
    });
    logLine(`${name} runs, version ${opentigerVersion}, as ${this.#dispatcher.owner}`);
    this.#neededAt = performance.now();
    const look = () =>
      this.#look(place, claim).catch((error: unknown) =>
        logLine(`it cannot look after itself: ${String(error)}`),
      );
    const looking = setInterval(() => void look(), Math.min(lookEveryMs, idleMs));
    const why = await this.#end;
    clearInterval(looking);
    // What it still works on may take hours: whoever needs a dispatcher meanwhile starts another.
    claim.release();
    await this.#dispatcher.stop({ drain: this.#drain });
    return why;
  }

  async #look({ config, database }: OpenPlace, claim: Claim): Promise<void> {
    const { name, idleMs } = this.#options;
    if (!claim.holds()) this.#stop(socketGone);
    // What it would write may not be what the newer one understands; agents go on, and that one adopts them.
    const outdated = await outdatedBy(database);
    if (outdated !== undefined) return this.#stop(outdated);
    if ((this.#dispatcher?.working ?? 0) > 0 || (await hasOpenWork(database)))
      this.#neededAt = performance.now();
    else if (performance.now() - this.#neededAt > idleMs) this.#stop(nothingToDo);
    const skip = processSkipped(config, name);
    if (skip.skipped) this.#stop(skip.reason, { drain: true });
  }

  /** The second time it does not wait for what it works on. */
  #stop(why: string, { drain = false } = {}): void {
    this.#drain = drain;
    this.#tellEnd(why);
    if (!drain) void this.#dispatcher?.stop();
  }

  #status(): DispatcherStatus {
    const { name, roles } = this.#options;
    return {
      name,
      version: opentigerVersion,
      pid: process.pid,
      startedAt: this.#startedAt,
      roles: [...roles],
      ready: this.#dispatcher !== undefined,
      working: this.#dispatcher?.working ?? 0,
    };
  }
}

function readOptions(words: readonly string[]): ProgramOptions {
  const { values } = parseArgs({
    args: [...words],
    options: {
      name: { type: "string", default: dispatcherName },
      /** In seconds; for tests, and for machines that sleep a lot. */
      lease: { type: "string" },
      /** In seconds. */
      idle: { type: "string" },
    },
  });
  const leaseMs = seconds("--lease", values.lease);
  return {
    name: values.name,
    roles: rolesOfProcess(values.name),
    leaseMs,
    idleMs: seconds("--idle", values.idle) ?? usualIdleMs,
  };
}

function seconds(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && value > 0) return value * 1_000;
  throw new OrchestratorError("usage", `${flag} ${text} is not a number of seconds`);
}
