import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { withFileLock } from "@opentiger/sandbox";
import type { ClientConfig } from "pg";
import { stopAbandoned } from "./abandoned.ts";
import { copyData, ensureData, refuseOtherMajor } from "./data-folder.ts";
import { refuseNameless } from "./initdb.ts";
import { installFiles, removeOtherVersions } from "./installed-files.ts";
import { boundLog } from "./log-file.ts";
import { type PackageFiles, packageFiles } from "./package-files.ts";
import { passwordLost } from "./password.ts";
import { livePostmaster } from "./pid-files.ts";
import { ensureFolders, ensureRootFolder, type PostgresPlace, postgresPlace } from "./place.ts";
import { connectionTo, probe } from "./probe.ts";
import type { Program } from "./program.ts";
import { ensureServer } from "./server.ts";
import { type StopMode, stopServer } from "./stop.ts";
import { ensureSystemUser } from "./system-user.ts";

export type PostgresStatus =
  | { state: "none" }
  | { state: "stopped"; data: string }
  | { state: "running"; data: string; pid: number; ready: boolean; version: string | null; log: string };

export interface EnsureOptions {
  signal?: AbortSignal | undefined;
  /** Told what takes a moment, or changes something outside the state folder. */
  say?: ((sentence: string) => void) | undefined;
}

/**
 * The PostgreSQL of one instance: real, durable, reached by a socket that nobody else can reach, and started by whoever
 * needs it first. It outlives its starter; the next process adopts it, or starts it again if it was killed.
 */
export class EmbeddedPostgres {
  readonly place: PostgresPlace;

  constructor(env: NodeJS.ProcessEnv = process.env) {
    this.place = postgresPlace(env);
  }

  /** How it is reached. Only after it was ensured once. */
  get connection(): ClientConfig {
    const connection = connectionTo(this.place);
    if (connection) return connection;
    throw passwordLost(this.place);
  }

  /** Returns when it runs and is ready. Asked many times at once, by whomever, it is started once. */
  async ensure(options: EnsureOptions = {}): Promise<void> {
    const { signal, say = () => {} } = options;
    boundLog(this.place.log);
    if ((await probe(this.place)).kind === "ours") return;
    if (this.place.owner === "self" && !existsSync(this.place.data)) refuseNameless();
    const files = packageFiles();
    const program = await this.#program(files, options);
    ensureFolders(this.place, program.user);
    const start = async () => {
      if (!existsSync(this.place.data)) say("Making the database, which takes a moment the first time.");
      await ensureData(this.place, { program, signal });
      refuseOtherMajor(this.place, files.major);
      await ensureServer(this.place, program, signal);
    };
    await withFileLock(this.place.lock, start, { code: "database_unavailable", signal });
  }

  async status(): Promise<PostgresStatus> {
    const { data, log } = this.place;
    if (!existsSync(data)) return { state: "none" };
    const pid = livePostmaster(this.place);
    if (pid === undefined) return { state: "stopped", data };
    const found = await probe(this.place);
    const version = found.kind === "ours" ? found.version : null;
    return { state: "running", data, pid, ready: found.kind === "ours", version, log };
  }

  /** Says whether there was a server to stop. Nothing that was acknowledged is lost, whichever way. */
  async stop(mode: StopMode = "fast"): Promise<boolean> {
    if (!existsSync(this.place.folder)) return false;
    return withFileLock(this.place.lock, () => stopServer(this.place, mode), {
      code: "database_unavailable",
    });
  }

  /** Runs `work` on the files of the data while no server is on them, and none is started by whomever until it is done. */
  async whileStopped<T>(work: (data: string) => Promise<T>): Promise<T> {
    const act = async () => {
      await stopServer(this.place, "fast");
      return work(this.place.data);
    };
    return withFileLock(this.place.lock, act, { code: "database_unavailable" });
  }

  /** Makes a copy of these files the data of an instance that has none: files that `whileStopped` has shown once. */
  async putData(from: string, options: EnsureOptions = {}): Promise<void> {
    const files = packageFiles();
    refuseOtherMajor({ data: from }, files.major);
    const program = await this.#program(files, options);
    ensureFolders(this.place, program.user);
    const copy = () => copyData(this.place, from);
    await withFileLock(this.place.lock, copy, { code: "database_unavailable", signal: options.signal });
  }

  /** Removes the data for good, and all else of this instance. Program files that instances share stay. */
  async remove(): Promise<void> {
    await this.stop("immediate");
    const { owner, folder, socketFolder, log, passwordFile } = this.place;
    const own = owner === "root" ? [folder, passwordFile, log, `${log}.1`] : [folder];
    for (const path of [socketFolder, ...own]) rmSync(path, { recursive: true, force: true });
  }

  /** Keeps the server's log short; for whoever runs for long. */
  boundLog(): void {
    boundLog(this.place.log);
  }

  /** The program files in place, and as root the user who runs them, which all instances of this machine share. */
  async #program(files: PackageFiles, { signal, say = () => {} }: EnsureOptions): Promise<Program> {
    const { owner, programs } = this.place;
    if (owner === "root") ensureRootFolder(programs);
    const install = async (): Promise<Program> => {
      const user = owner === "root" ? await ensureSystemUser(say) : undefined;
      if (user) await stopAbandoned();
      const alone = owner === "self" && livePostmaster(this.place) === undefined;
      if (alone) await removeOtherVersions(programs, files.version);
      return { folder: await installFiles(files, programs, user ? "copied" : "linked"), user };
    };
    return withFileLock(join(programs, "lock"), install, { code: "database_unavailable", signal });
  }
}
