import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, closeSync, constants, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import type { Readable } from "node:stream";
import type { ExecSpec, TerminalReservation } from "@opentiger/schema";
import { loaderVariablesApart } from "../protocol/loader-variables.ts";
import { supervisorConfigVariable } from "../protocol/paths.ts";
import type { SupervisorConfig } from "./config.ts";
import { MarkerPool } from "./marker-pool.ts";
import { withCommandOomScore } from "./oom-score.ts";
import { type OutputPipe, PipePool } from "./pipes.ts";
import { execVariable, type Marker } from "./processes.ts";
import { RefusedError } from "./refusals.ts";
import { systemPath, systemTool } from "./system-tools.ts";
import { findUser, passwdEntry, type UserEntry } from "./users.ts";

export interface Launched {
  child: ChildProcess;
  pid: number;
  marker: Marker;
  /** null where the output is discarded. */
  stdout: Readable | null;
  stderr: Readable | null;
}

/** Starts commands as the agent: its uid and gid, one marker group, no capability, first in line for the OOM killer. */
export class Launcher {
  readonly markers = new MarkerPool();
  readonly #config: SupervisorConfig;
  readonly #setpriv: string[];
  readonly #pipes: PipePool | undefined;

  constructor(config: SupervisorConfig) {
    this.#config = config;
    const folder = config.controlSocket ? dirname(config.controlSocket) : config.carrierDir;
    this.#pipes = folder ? new PipePool(join(folder, "pipes")) : undefined;
    this.#setpriv = config.setpriv ?? [systemTool("setpriv")];
  }

  /** Resolves when commands can be started as they should be. */
  get ready(): Promise<void> {
    return this.#pipes?.ready ?? Promise.resolve();
  }

  launch(spec: ExecSpec): Launched {
    const user = this.#user(spec.user);
    const env = this.#environment(spec, user);
    const cwd = this.#folder(spec);
    const enter = enterDirectory(cwd);
    this.#refuseMissing(spec.command[0] ?? "", env["PATH"] ?? "", cwd);
    const marker = this.#marker(spec);
    const drop = this.privilegeDrop(user, marker);
    const split = drop.length > 0 ? loaderVariablesApart(env) : { root: env, agent: [] };
    const argv = [...drop, ...behindDrop(enter.folder, split.agent), ...spec.command];
    const stdio = this.#stdio(spec);
    const child = withCommandOomScore(() =>
      spawn(argv[0] as string, argv.slice(1), {
        ...(enter.cwd ? { cwd: enter.cwd } : {}),
        env: marker.kind === "environment" ? { ...env, [marker.variable]: marker.value } : split.root,
        stdio: stdio.map((pipe) => (typeof pipe === "string" ? pipe : pipe.fd)),
        detached: true,
      }),
    );
    // Without a listener the failure to start would end the supervisor.
    child.once("error", () => {});
    for (const pipe of stdio) if (typeof pipe !== "string") closeSync(pipe.fd);
    const [, stdout, stderr] = stdio.map((pipe) => (typeof pipe === "string" ? null : pipe.stream));
    if (child.pid === undefined) {
      for (const stream of [stdout, stderr]) stream?.destroy();
      throw startFailure();
    }
    return { child, pid: child.pid, marker, stdout: stdout ?? child.stdout, stderr: stderr ?? child.stderr };
  }

  /** A workspace is often its owner's alone; another user who named no folder starts at the root then. */
  #folder({ cwd, user }: ExecSpec): string {
    const { workDir } = this.#config;
    if (cwd) return resolve(workDir, cwd);
    return user && enterDirectory(workDir).cwd === undefined ? "/" : workDir;
  }

  #stdio(spec: ExecSpec): (OutputPipe | "pipe" | "ignore")[] {
    if (spec.detach) return ["ignore", "ignore", "ignore"];
    const output = (): OutputPipe | "pipe" => this.#pipes?.take() ?? "pipe";
    return [spec.stdin ? "pipe" : "ignore", output(), output()];
  }

  /** For something of ours that runs as this user. */
  dropFor(user: { uid: number; gid: number }): string[] {
    return this.privilegeDrop(user, { kind: "group", gid: this.markers.take() });
  }

  /** The argv in front of a command that gives up everything the agent must not have. */
  privilegeDrop(user: { uid: number; gid: number }, marker: Marker): string[] {
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
    const env: Record<string, string> = {};
    for (const [name, value] of Object.entries(process.env)) {
      if (value !== undefined && name !== supervisorConfigVariable) env[name] = value;
    }
    Object.assign(env, this.#config.env);
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

  /** Says "not found" itself, so that the user does not read about setpriv. */
  #refuseMissing(command: string, path: string, cwd: string): void {
    // What the supervisor may not look at, another uid perhaps may: that is left to the kernel.
    const otherUid = this.#config.isolation !== "none";
    for (const candidate of candidatesFor(command, path, cwd)) {
      try {
        if (statSync(candidate).isFile()) return;
      } catch (error) {
        if (otherUid && isErrno(error, "EACCES")) return;
      }
    }
    throw new RefusedError("command_not_found", `${JSON.stringify(command)} was not found in the sandbox`);
  }

  #marker(spec: ExecSpec): Marker {
    if (this.#config.isolation === "none")
      return { kind: "environment", variable: execVariable, value: spec.id };
    return { kind: "group", gid: this.markers.take() };
  }
}

/**
 * The supervisor has no right to pass over file modes, so a folder that only the agent may enter is entered by
 * the agent: `folder` is then for `env -C` behind setpriv.
 */
function enterDirectory(cwd: string): { cwd?: string; folder?: string } {
  try {
    if (!statSync(cwd).isDirectory())
      throw new RefusedError("usage", `${cwd} is not a folder in the sandbox`);
    accessSync(cwd, constants.X_OK);
    return { cwd };
  } catch (error) {
    if (error instanceof RefusedError) throw error;
    if (isErrno(error, "ENOENT"))
      throw new RefusedError("workspace_missing", `${cwd} does not exist in the sandbox`);
    return { folder: cwd };
  }
}

/** What only the agent may do before its command: enter a folder, and take variables that root must not obey. */
function behindDrop(folder: string | undefined, variables: readonly string[]): string[] {
  if (folder === undefined && variables.length === 0) return [];
  return [systemTool("env"), ...(folder === undefined ? [] : ["-C", folder]), "--", ...variables];
}

/** Where the command may be, in the order in which it would be looked for. */
function candidatesFor(command: string, path: string, cwd: string): string[] {
  if (command.includes("/")) return [isAbsolute(command) ? command : join(cwd, command)];
  return path.split(delimiter).map((folder) => join(folder || ".", command));
}

function startFailure(): RefusedError {
  return new RefusedError(
    "resource_limit",
    "the sandbox cannot start another process: its limit of processes or memory is reached",
  );
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
