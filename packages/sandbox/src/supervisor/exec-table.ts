import type { ExecInfo, ExecSpec, TerminalReservation } from "@opentiger/schema";
import { Exec } from "./exec.ts";
import type { Launcher } from "./launch.ts";
import { killMarked } from "./processes.ts";
import { RefusedError } from "./refusals.ts";
import { SpoolBudget } from "./spool-budget.ts";
import { oomKillCount } from "./stats.ts";

/** Finished execs are kept for a late reader, up to these bounds; the oldest go first. */
const keptFinished = 256;
const keptFinishedBytes = 32 * 1024 * 1024;

/** Every exec of this sandbox, by id. */
export class ExecTable {
  readonly #execs = new Map<string, Exec>();
  readonly #starting = new Map<string, Promise<Exec>>();
  readonly #budget = new SpoolBudget();
  /** Marker groups of terminals, which the Engine starts and not we. */
  readonly #terminals = new Map<string, number>();

  constructor(readonly launcher: Launcher) {}

  /** Starts it, or finds it where the same id was opened before: asking twice never runs twice. */
  async open(spec: ExecSpec): Promise<{ exec: Exec; resumed: boolean }> {
    const known = this.#execs.get(spec.id) ?? this.#starting.get(spec.id);
    if (known) return { exec: await known, resumed: true };
    const starting = this.#start(spec);
    this.#starting.set(spec.id, starting);
    try {
      return { exec: await starting, resumed: false };
    } finally {
      this.#starting.delete(spec.id);
    }
  }

  async get(id: string): Promise<Exec> {
    const exec = await (this.#execs.get(id) ?? this.#starting.get(id));
    if (!exec)
      throw new RefusedError("exec_not_found", `no exec ${id} in this sandbox (it may have been forgotten)`);
    return exec;
  }

  list(): ExecInfo[] {
    return [...this.#execs.values()].map((exec) => exec.info);
  }

  /** What the Engine must put in front of a terminal's command, so that it is the agent's and can be killed by id. */
  reserveTerminal(id: string, user: string | undefined): TerminalReservation {
    const gid = this.launcher.markers.take();
    this.#terminals.set(id, gid);
    return this.launcher.terminal(gid, user);
  }

  async signal(id: string, signal: NodeJS.Signals): Promise<void> {
    const gid = this.#terminals.get(id);
    if (gid !== undefined) return killMarked({ kind: "group", gid });
    await (await this.get(id)).signal(signal);
  }

  async #start(spec: ExecSpec): Promise<Exec> {
    const exec = new Exec(spec, await this.launcher.launch(spec), {
      budget: this.#budget,
      oomKills: oomKillCount,
      onExit: () => this.#evict(),
    });
    this.#execs.set(exec.id, exec);
    return exec;
  }

  /** The output of the oldest is let go first; that an exec has ended, and how, is known for longer. */
  #evict(): void {
    let [count, bytes] = [0, 0];
    for (const { exit, spool } of this.#execs.values()) {
      if (!exit) continue;
      count += 1;
      bytes += spool.bytes;
    }
    for (const exec of this.#execs.values()) {
      if (count <= keptFinished && bytes <= keptFinishedBytes) return;
      if (!exec.exit || exec.reader) continue;
      bytes -= exec.spool.bytes;
      exec.spool.discard();
      if (count <= keptFinished) continue;
      this.#execs.delete(exec.id);
      count -= 1;
    }
  }
}
