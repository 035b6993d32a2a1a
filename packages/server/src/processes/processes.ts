import { readFileSync } from "node:fs";
import { writeAtomically } from "@opentiger/sandbox";
import { errno, jsonOf } from "@opentiger/schema";
import { z } from "zod";
import { type Launcher, sandboxdName } from "./launcher.ts";
import { type ProcessStatus, Supervised, type SupervisionSettings, usualSupervision } from "./supervised.ts";

export interface ProcessesOptions {
  launcher: Launcher;
  /** Where it is written which are to run, so that the next server knows. */
  file: string;
  /** What runs when nobody has said anything yet. */
  usual: readonly string[];
  /** Which of them are not to run as things are, whoever wants them: they wait, and neither fail nor are forgotten. */
  skipped?: (name: string) => boolean;
  log: (line: string) => void;
  settings?: SupervisionSettings;
  lookEveryMs?: number;
}

/** A killed dispatcher costs the work of its agents nothing; a second later another one has them. */
const usualLookMs = 1_000;

const written = z.object({ version: z.literal(1), wanted: z.array(z.string()) });

/**
 * The processes that this instance needs, kept running. They are not its children: when the server ends they go on, and
 * the next one finds them by their names.
 */
export class Processes {
  readonly #options: ProcessesOptions;
  readonly #all = new Map<string, Supervised>();
  readonly #listeners = new Set<() => void>();
  readonly #timer: NodeJS.Timeout;
  #looking: Promise<void> | undefined;
  #told = "";

  static open(options: ProcessesOptions): Processes {
    return new Processes(options);
  }

  private constructor(options: ProcessesOptions) {
    this.#options = options;
    const wanted = readWanted(options);
    // Also what does not run is shown, so that it is seen.
    if (wanted === "unknown") for (const name of options.usual) this.#of(name);
    else for (const name of wanted) this.#of(name).want();
    this.#timer = setInterval(() => void this.#look(), options.lookEveryMs ?? usualLookMs);
    void this.#look();
  }

  /** Those that are to run, and those that were asked for since the server began. */
  list(): ProcessStatus[] {
    const now = performance.now();
    const shown = [...this.#all.values()].map((each) => each.status(now));
    return shown.toSorted((left, right) => left.name.localeCompare(right.name));
  }

  wants(name: string): boolean {
    return this.#all.get(name)?.wanted ?? false;
  }

  /** Refuses a name that no process has. */
  async find(name: string): Promise<ProcessStatus> {
    const process = this.#of(name);
    await process.look(performance.now());
    return process.status(performance.now());
  }

  async start(name: string): Promise<ProcessStatus> {
    const process = this.#of(name);
    process.want();
    this.#write();
    await this.#look();
    return process.status(performance.now());
  }

  /** What it works on goes on, and is adopted by whoever comes next. */
  async stop(name: string): Promise<ProcessStatus> {
    const process = this.#of(name);
    await process.stop();
    this.#write();
    this.#tell();
    return process.status(performance.now());
  }

  /** All that work on loops. Their agents go on, so what these reach the network by stays. */
  async stopAll(): Promise<ProcessStatus[]> {
    const names = [...this.#all.keys()].filter((name) => name !== sandboxdName);
    await Promise.all(names.map((name) => this.stop(name)));
    return this.list();
  }

  logFile(name: string): string {
    this.#options.launcher.check(name);
    return this.#options.launcher.log(name);
  }

  /** Called when one of them begins, ends or is given up. Returns what ends it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Looks after them no longer. They go on. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  #of(name: string): Supervised {
    const { launcher, settings = usualSupervision, skipped = () => false } = this.#options;
    const known = this.#all.get(name);
    if (known) return known;
    launcher.check(name);
    const added = new Supervised(name, launcher, settings, () => skipped(name));
    this.#all.set(name, added);
    return added;
  }

  #look(): Promise<void> {
    this.#looking ??= this.#lookAtAll().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #lookAtAll(): Promise<void> {
    for (const process of this.#all.values()) {
      await process.look(performance.now()).catch((error: unknown) => {
        this.#options.log(`${process.name} could not be looked at: ${String(error)}`);
      });
    }
    this.#tell();
  }

  #tell(): void {
    const states = this.list().map(({ name, state, pid, restarts }) => `${name} ${state} ${pid} ${restarts}`);
    const now = states.join("\n");
    if (now === this.#told) return;
    this.#told = now;
    for (const listener of this.#listeners) listener();
  }

  #write(): void {
    const wanted = [...this.#all.values()].filter((each) => each.wanted).map(({ name }) => name);
    writeAtomically(this.#options.file, `${JSON.stringify({ version: 1, wanted })}\n`);
  }
}

/** Which are to run. What cannot be read is no reason to start anything: it may be what somebody has stopped. */
function readWanted({ file, usual, launcher, log }: ProcessesOptions): readonly string[] | "unknown" {
  const text = readIfThere(file);
  if (text === undefined) return usual;
  const read = written.safeParse(jsonOf(text));
  if (!read.success) {
    log(`${file} is damaged, so it is not known what was stopped: nothing is started until somebody does`);
    return "unknown";
  }
  return read.data.wanted.filter((name) => {
    const known = isKnown(name, launcher);
    if (!known) log(`${file} names a process that there is not: ${JSON.stringify(name)}`);
    return known;
  });
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    return errno(error) === "ENOENT" ? undefined : "";
  }
}

function isKnown(name: string, launcher: Launcher): boolean {
  try {
    launcher.check(name);
    return true;
  } catch {
    return false;
  }
}
