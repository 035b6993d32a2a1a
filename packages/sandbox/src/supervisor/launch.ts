import { accessSync, constants, statSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import type { ExecSpec, TerminalReservation } from "@opentiger/schema";
import { doorVariables } from "../protocol/doors.ts";
import { loaderVariablesApart } from "../protocol/loader-variables.ts";
import { supervisorConfigVariable } from "../protocol/paths.ts";
import { refuseMissing } from "./command-file.ts";
import type { SupervisorConfig } from "./config.ts";
import { MarkerPool } from "./marker-pool.ts";
import { startByNode } from "./node-start.ts";
import { PipePool } from "./pipes.ts";
import { execVariable, killMarked, type Marker } from "./processes.ts";
import { RefusedError } from "./refusals.ts";
import { Spawner } from "./spawner.ts";
import { spawnerFile } from "./spawner-file.ts";
import type { SpawnRequest } from "./spawner-messages.ts";
import type { Ended, Started } from "./started.ts";
import { systemPath, systemTool } from "./system-tools.ts";
import { findUser, passwdEntry, type UserEntry } from "./users.ts";

export interface Launched extends Started {
  marker: Marker;
}

export interface Identity {
  uid: number;
  gid: number;
}

interface MarkedCommand {
  user: Identity;
  marker: Marker;
  cwd: string;
  argv: readonly string[];
  env: Record<string, string>;
}

/** Starts commands as the agent: its uid and gid, one marker group, no capability, first in line for the OOM killer. */
export class Launcher {
  readonly markers = new MarkerPool();
  readonly #config: SupervisorConfig;
  readonly #setpriv: string[];
  readonly #inherited = inheritedEnvironment();
  /** Resolves when commands can be started as they should be. */
  readonly ready: Promise<void>;
  #spawner: Spawner | undefined;
  #pipes: PipePool | undefined;

  constructor(config: SupervisorConfig) {
    this.#config = config;
    this.#setpriv = config.setpriv ?? [systemTool("setpriv")];
    this.ready = this.#begin();
  }

  /** By the spawner where there is one; else, and when that one has ended, by Node with setpriv in front. */
  async launch(spec: ExecSpec): Promise<Launched> {
    const user = this.#user(spec.user);
    const env = this.#environment(spec, user);
    const cwd = this.#folder(spec);
    refuseNoFolder(cwd);
    const otherUid = this.#config.isolation !== "none";
    refuseMissing(spec.command[0] ?? "", { path: env["PATH"] ?? "", cwd, otherUid });
    const marker = this.#marker(spec);
    const stdio = { stdin: spec.stdin === true && !spec.detach, output: !spec.detach };
    return { ...(await this.#start({ user, marker, cwd, argv: spec.command, env }, stdio)), marker };
  }

  /** Starts something of ours that is to run as this user, with nothing in its environment but what is given. */
  async startOurs(
    user: Identity,
    argv: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<Started> {
    await this.ready;
    const marker = { kind: "group", gid: this.markers.take() } as const;
    const command = { user, marker, cwd: "/", argv, env: { PATH: systemPath, ...env } };
    return this.#start(command, { stdin: false, output: true });
  }

  async #start(command: MarkedCommand, stdio: { stdin: boolean; output: boolean }): Promise<Started> {
    const { user, marker, cwd, env } = command;
    if (this.#spawner?.isOpen && marker.kind === "group") {
      const emptyBoundingSet = this.#config.isolation === "agent-root";
      return startBySpawner(this.#spawner, { ...command, marker: marker.gid, emptyBoundingSet }, stdio);
    }
    const drop = this.privilegeDrop(user, marker);
    const split = drop.length > 0 ? loaderVariablesApart(env) : { root: env, agent: [] };
    const enter = enterDirectory(cwd);
    const argv = [...drop, ...behindDrop(enter.folder, split.agent), ...command.argv];
    const marked = marker.kind === "environment" ? { ...env, [marker.variable]: marker.value } : split.root;
    return startByNode({ argv, env: marked, cwd: enter.cwd, ...stdio }, this.#pipePool());
  }

  async #begin(): Promise<void> {
    const file = spawnerFile(this.#config.isolation);
    this.#spawner = file === undefined ? undefined : await Spawner.start(file);
    if (!this.#spawner) await this.#pipePool()?.ready;
  }

  #pipePool(): PipePool | undefined {
    const { controlSocket, carrierDir } = this.#config;
    const folder = controlSocket ? dirname(controlSocket) : carrierDir;
    if (folder) this.#pipes ??= new PipePool(join(folder, "pipes"));
    return this.#pipes;
  }

  /** A workspace is often its owner's alone; another user who named no folder starts at the root then. */
  #folder({ cwd, user }: ExecSpec): string {
    const { workDir } = this.#config;
    if (cwd) return resolve(workDir, cwd);
    if (!user) return workDir;
    refuseNoFolder(workDir);
    return enterDirectory(workDir).cwd ?? "/";
  }

  /** The argv in front of a command that gives up everything the agent must not have. */
  privilegeDrop(user: Identity, marker: Marker): string[] {
    if (this.#config.isolation === "none" || marker.kind === "environment") return [];
    const bounding = this.#config.isolation === "agent-root" ? ["--bounding-set=-all"] : [];
    return [
      ...this.#setpriv,
      `--reuid=${user.uid}`,
      `--regid=${user.gid}`,
      `--groups=${user.gid},${marker.gid}`,
      "--inh-caps=-all",
      "--ambient-caps=-all",
      ...bounding,
      "--no-new-privs",
      "--",
    ];
  }

  terminal(gid: number, wanted: string | undefined): TerminalReservation {
    const user = this.#user(wanted);
    return { prefix: this.privilegeDrop(user, { kind: "group", gid }), env: this.#environment({}, user) };
  }

  #user(wanted: string | undefined): UserEntry {
    const { agentUid: uid, agentGid: gid } = this.#config;
    if (!wanted) return { uid, gid, name: passwdEntry(String(uid))?.name ?? null, home: this.#config.home };
    if (this.#config.isolation === "none") {
      throw new RefusedError("unsupported", "host mode runs every command as you: leave out -u");
    }
    return findUser(wanted);
  }

  #environment(spec: Pick<ExecSpec, "env">, user: UserEntry): Record<string, string> {
    const env = { ...this.#inherited };
    // Over what the image says, since that cannot be true here; under what the sandbox's owner says.
    Object.assign(env, this.#config.doors === "all" ? doorVariables() : {}, this.#config.env);
    if (this.#config.isolation !== "none") {
      const home = user.home ?? this.#config.home;
      env["HOME"] = home;
      // What the agent installed for itself comes before the image's: an upgrade of its own CLI is meant to be used.
      env["PATH"] = [join(home, ".npm-global/bin"), join(home, ".local/bin"), env["PATH"] ?? systemPath].join(
        delimiter,
      );
      if (user.name) Object.assign(env, { USER: user.name, LOGNAME: user.name });
      delete env["PWD"];
    }
    return { ...env, ...spec.env };
  }

  #marker(spec: ExecSpec): Marker {
    if (this.#config.isolation === "none")
      return { kind: "environment", variable: execVariable, value: spec.id };
    return { kind: "group", gid: this.markers.take() };
  }
}

/** Ours, which never changes: to read it anew for every command would be a call into the system for each name. */
function inheritedEnvironment(): Record<string, string> {
  const { [supervisorConfigVariable]: _ours, ...env } = process.env;
  // What is not there is not among its names.
  return env as Record<string, string>;
}

/** Of a command whose spawner ended nobody can say how it ends: it is ended, which is never a success. */
async function startBySpawner(
  spawner: Spawner,
  request: SpawnRequest,
  stdio: { stdin: boolean; output: boolean },
): Promise<Started> {
  const endAll = () => killMarked({ kind: "group", gid: request.marker });
  try {
    const started = await spawner.spawn(request, stdio);
    const ended = started.ended.catch(async (): Promise<Ended> => {
      await endAll();
      return { code: null, signal: "SIGKILL" };
    });
    return { ...started, ended };
  } catch (error) {
    if (!spawner.isOpen) await endAll();
    throw error;
  }
}

/** What the supervisor may not look at is left to the kernel. */
function refuseNoFolder(cwd: string): void {
  try {
    if (!statSync(cwd).isDirectory())
      throw new RefusedError("usage", `${cwd} is not a folder in the sandbox`);
  } catch (error) {
    if (error instanceof RefusedError) throw error;
    if (isErrno(error, "ENOENT"))
      throw new RefusedError("workspace_missing", `${cwd} does not exist in the sandbox`);
  }
}

/**
 * The supervisor has no right to pass over file modes, so a folder that only the agent may enter is entered by
 * the agent: `folder` is then for `env -C` behind setpriv.
 */
function enterDirectory(cwd: string): { cwd?: string; folder?: string } {
  try {
    accessSync(cwd, constants.X_OK);
    return { cwd };
  } catch {
    return { folder: cwd };
  }
}

/** What only the agent may do before its command: enter a folder, and take variables that root must not obey. */
function behindDrop(folder: string | undefined, variables: readonly string[]): string[] {
  if (folder === undefined && variables.length === 0) return [];
  return [systemTool("env"), ...(folder === undefined ? [] : ["-C", folder]), "--", ...variables];
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
