import type { ExecInfo, ExecSpec, TerminalReservation } from "@opentiger/schema";
import { Exec } from "./exec.ts";
import type { Launcher } from "./launch.ts";
import { killMarked } from "./processes.ts";
import { RefusedError } from "./refusals.ts";
import { oomKillCount } from "./stats.ts";

/** Finished execs are kept for a late reader, up to these bounds; the oldest go first. */
const keptFinished = 256;
const keptFinishedBytes = 32 * 1024 * 1024;

/** Every exec of this sandbox, by id. */
export class ExecTable {
  readonly #execs = new Map<string, Exec>();
  /** Marker groups of terminals, which the Engine starts and not we. */
  readonly #terminals = new Map<string, number>();

  constructor(readonly launcher: Launcher) {}

  /** Starts it, or finds it where the same id was opened before: asking twice never runs twice. */
  open(spec: ExecSpec): { exec: Exec; resumed: boolean } {
    const known = this.#execs.get(spec.id);
    if (known) return { exec: known, resumed: true };
    const exec = new Exec(spec, this.launcher.launch(spec), oomKillCount);
    this.#execs.set(exec.id, exec);
    this.#evict();
    return { exec, resumed: false };
  }

  get(id: string): Exec {
    const exec = this.#execs.get(id);
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
    await this.get(id).signal(signal);
  }

  #evict(): void {
    const finished = [...this.#execs.values()].filter((exec) => exec.exit);
    let bytes = finished.reduce((sum, exec) => sum + exec.spool.bytes, 0);
    let count = finished.length;
    for (const exec of finished) {
      if (count <= keptFinished && bytes <= keptFinishedBytes) return;
      if (exec.reader) continue;
      this.#execs.delete(exec.id);
      count -= 1;
      bytes -= exec.spool.bytes;
    }
  }
}
