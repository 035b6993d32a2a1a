import { randomUUID } from "node:crypto";
import type { Place } from "@opentiger/orchestrator";
import { SandboxError } from "@opentiger/sandbox";
import { ServerError } from "../errors.ts";
import { findProgram } from "./held-program.ts";
import { type ShellRecord, ShellRecords } from "./records.ts";
import { Shell } from "./shell.ts";
import { startProgram } from "./start-program.ts";

/** A person has a handful. */
const maxShells = 50;

/** So long a shell waits for somebody to come back: a laptop that was moved, a server that was brought up to date. */
export const usualKeepMs = 5 * 60_000;

/** How often it is looked, in the time that they are kept. */
const looksPerKeep = 5;

export interface ShellQuestion {
  name: string;
  environment: "host" | "sandbox";
  command: string;
  columns: number;
  rows: number;
  /** The one that the client had. */
  id?: string | undefined;
}

/**
 * The shells of this server, and those that servers before it left. Each ends when it is told to, when nobody has
 * wanted it for a while, or with its sandbox.
 */
export class Shells {
  readonly #place: Place;
  readonly #keepMs: number;
  readonly #records: ShellRecords;
  readonly #shells = new Map<string, { shell: Shell; wantedAt: number }>();
  readonly #adopting = new Map<string, Promise<Shell | undefined>>();
  readonly #clock: NodeJS.Timeout;
  #looking: Promise<void> | undefined;

  constructor(place: Place, keepMs: number) {
    this.#place = place;
    this.#keepMs = keepMs;
    this.#records = new ShellRecords(place.folder);
    this.#clock = setInterval(() => {
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined;
      });
    }, keepMs / looksPerKeep).unref();
  }

  /** The one that was asked for, where it is still there; else a new one. */
  async open(question: ShellQuestion): Promise<{ shell: Shell; resumed: boolean }> {
    if (question.id !== undefined) {
      const known = await this.#find(question.id, question);
      if (known) return { shell: known, resumed: true };
    }
    if (this.#shells.size >= maxShells) throw new ServerError("too_many", `${maxShells} terminals are open`);
    const { name, environment } = question;
    const id = randomUUID();
    const sandbox = await (await this.#place.backend(environment)).open(name);
    const program = await startProgram(sandbox, { ...question, id }).catch(async (error: unknown) => {
      await sandbox.close();
      throw error;
    });
    const shell = this.#add(new Shell(id, sandbox, program));
    if (program.tty !== undefined) this.#records.write({ id, name, environment, tty: program.tty });
    return { shell, resumed: false };
  }

  async end(shell: Shell): Promise<void> {
    this.#forget(shell);
    await shell.end();
  }

  /** What is held goes on, for the next server. */
  async close(): Promise<void> {
    clearInterval(this.#clock);
    await this.#looking;
    const all = [...this.#shells.values()];
    for (const { shell } of all) if (shell.isWatched) this.#records.touch(shell.id);
    await Promise.all(all.map(({ shell }) => shell.leave()));
  }

  #add(shell: Shell): Shell {
    this.#shells.set(shell.id, { shell, wantedAt: Date.now() });
    void shell.over.then(() => {
      // Its end is kept for whoever comes back; what is lost may be found again.
      if (shell.isLost) this.#shells.delete(shell.id);
      else this.#records.remove(shell.id);
    });
    return shell;
  }

  #forget(shell: Shell): void {
    this.#shells.delete(shell.id);
    this.#records.remove(shell.id);
  }

  /** Whoever comes back by itself does not start a sandbox that was stopped meanwhile. */
  async #find(id: string, { name, environment }: ShellQuestion): Promise<Shell | undefined> {
    const own = this.#shells.get(id);
    if (own?.shell.sandboxName === name) {
      own.wantedAt = Date.now();
      return own.shell;
    }
    if (!(await this.#isRunning(name, environment)))
      throw new ServerError("not_allowed_now", `${name} is not running, and the shell in it has ended`, {
        remedy: "open another terminal, which starts it",
      });
    const record = this.#records.read(id);
    if (record?.name !== name || record.environment !== environment) return undefined;
    this.#records.touch(id);
    return this.#adopt(record);
  }

  async #isRunning(name: string, environment: ShellRecord["environment"]): Promise<boolean> {
    const all = await (await this.#place.backend(environment)).list();
    return all.some((each) => each.name === name && each.status === "running");
  }

  /** Once at a time: whoever attaches to an exec takes it from the one before. */
  #adopt(record: ShellRecord): Promise<Shell | undefined> {
    const { id } = record;
    const adopting = this.#adopting.get(id) ?? this.#attach(record).finally(() => this.#adopting.delete(id));
    this.#adopting.set(id, adopting);
    return adopting;
  }

  /** undefined where it is gone. */
  async #attach({ id, name, environment, tty }: ShellRecord): Promise<Shell | undefined> {
    const sandbox = await (await this.#place.backend(environment)).open(name);
    try {
      return this.#add(new Shell(id, sandbox, await findProgram(sandbox, id, tty)));
    } catch (error) {
      await sandbox.close();
      if (!(error instanceof SandboxError && error.code === "exec_not_found")) throw error;
      this.#records.remove(id);
      return undefined;
    }
  }

  /** Ends what nobody has wanted for too long, whoever started it. */
  async #look(): Promise<void> {
    try {
      for (const entry of this.#shells.values()) await this.#lookAt(entry);
      for (const id of this.#records.unwanted(this.#keepMs)) await this.#endLeft(id);
    } catch (error) {
      this.#place.log(`a shell that nobody wants could not be ended: ${String(error)}`);
    }
  }

  async #lookAt(entry: { shell: Shell; wantedAt: number }): Promise<void> {
    if (entry.shell.isWatched) {
      entry.wantedAt = Date.now();
      this.#records.touch(entry.shell.id);
    } else if (Date.now() - entry.wantedAt > this.#keepMs) {
      await this.end(entry.shell);
    }
  }

  async #endLeft(id: string): Promise<void> {
    if (this.#shells.has(id)) return;
    const record = this.#records.read(id);
    const shell =
      record && (await this.#isRunning(record.name, record.environment)) && (await this.#adopt(record));
    if (shell) await this.end(shell);
    else this.#records.remove(id);
  }
}
