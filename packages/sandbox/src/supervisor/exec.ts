import type { Readable, Writable } from "node:stream";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { ExecExit, ExecInfo, ExecSpec } from "@opentiger/schema";
import type { Launched } from "./launch.ts";
import { killMarked, markedProcesses, signalMarked } from "./processes.ts";
import { Spool, type StreamName } from "./spool.ts";
import type { SpoolBudget } from "./spool-budget.ts";

/** Enough for a long answer of an agent while nobody listens; a full spool blocks the writer. */
const defaultSpoolBytes = 8 * 1024 * 1024;

/** What may still lie in its pipes when a command has ended; taken beyond the limit, so that the end becomes known. */
const leftOverBytes = 1024 * 1024;

/** A grandchild may keep the pipe open for ever: after the command's exit we wait for silence, not for the end. */
const drainSilenceMs = 50;

/** Between the polite signal and the other one when the time is up. */
const timeoutGraceMs = 2_000;

/** What an exec has to do with all the others. */
export interface ExecSurroundings {
  budget: SpoolBudget;
  oomKills(): number;
  onExit(): void;
}

/** One command, from its start until its exit was read. Lives in the supervisor, so it outlives every session. */
export class Exec {
  readonly id: string;
  readonly spool: Spool;
  readonly stdin: Writable | null;
  readonly pid: number;
  exit: ExecExit | null = null;
  /** The stream that reads this exec at present; a newer one takes over. */
  reader: { wake(): void; replaced(): void } | null = null;
  readonly #spec: ExecSpec;
  readonly #launched: Launched;
  readonly #startedAt = new Date();
  #reason: ExecExit["reason"] = "exited";
  #lastOutput = 0;
  #ended = false;
  #timer: NodeJS.Timeout | undefined;
  readonly #outputs: Readable[];
  readonly #budget: SpoolBudget;
  readonly #onExit: () => void;

  constructor(spec: ExecSpec, launched: Launched, { budget, oomKills, onExit }: ExecSurroundings) {
    this.id = spec.id;
    this.pid = launched.pid;
    this.spool = new Spool(spec.spoolBytes ?? defaultSpoolBytes, budget);
    this.#budget = budget;
    this.#onExit = onExit;
    this.stdin = launched.stdin;
    // A command that closes its stdin early is no error of ours.
    this.stdin?.on("error", () => {});
    this.#spec = spec;
    this.#launched = launched;
    this.#outputs = [this.#listen("stdout"), this.#listen("stderr")].filter((stream) => stream !== null);
    const killsBefore = oomKills();
    void launched.ended.then(({ code, signal }) => {
      if (signal === "SIGKILL" && this.#reason === "exited" && oomKills() > killsBefore)
        this.#reason = "memory";
      void this.#finish(code, signal);
    });
    if (spec.timeoutMs) this.#timer = setTimeout(() => void this.#timeOut(), spec.timeoutMs);
  }

  get info(): ExecInfo {
    const { stdout, stderr } = this.spool.written;
    const { id, pid, exit } = this;
    return {
      id,
      pid,
      command: this.#spec.command,
      startedAt: this.#startedAt.toISOString(),
      exit,
      stdout,
      stderr,
    };
  }

  acknowledge(stream: StreamName, offset: number): void {
    this.spool.acknowledge(stream, offset);
    this.#readOn();
  }

  /** Signals everything the exec started. SIGKILL also ends what tries to outrun it. */
  async signal(signal: NodeJS.Signals): Promise<void> {
    if (!this.exit && (signal === "SIGKILL" || signal === "SIGTERM" || signal === "SIGINT"))
      this.#reason = "killed";
    await this.#send(signal);
  }

  /** A command that has just been started does not carry its mark yet, so it is meant by its own number too. */
  async #send(signal: NodeJS.Signals): Promise<void> {
    const { marker } = this.#launched;
    if (!markedProcesses(marker).includes(this.pid)) this.#launched.kill(signal);
    if (signal === "SIGKILL") await killMarked(marker);
    else signalMarked(marker, signal);
  }

  #listen(stream: StreamName): Readable | null {
    const output = this.#launched[stream];
    output?.on("data", (data: Buffer) => {
      if (this.exit) return; // Left over by a grandchild: read, so that it is not blocked, and dropped.
      this.#lastOutput = Date.now();
      this.spool.append(stream, data);
      if (!this.#hasRoom) this.#block();
      this.reader?.wake();
    });
    output?.on("error", () => {});
    return output;
  }

  async #timeOut(): Promise<void> {
    this.#reason = "timeout";
    await this.#send("SIGTERM");
    await sleep(timeoutGraceMs);
    await this.#send("SIGKILL");
  }

  async #finish(code: number | null, signal: NodeJS.Signals | null): Promise<void> {
    clearTimeout(this.#timer);
    this.#ended = true;
    this.#readOn();
    await this.#drained();
    const reason = this.#reason === "killed" && signal === null ? "exited" : this.#reason;
    this.exit = { code, signal, reason };
    this.#budget.forget(this.#readOn);
    this.spool.leaveBudget();
    for (const output of this.#outputs) output.resume();
    this.reader?.wake();
    this.#onExit();
  }

  get #hasRoom(): boolean {
    return this.#ended ? this.spool.bytes < this.spool.limit + leftOverBytes : !this.spool.full;
  }

  /** The command waits where its pipes are full, until somebody reads it, or another one whose room it then gets. */
  #block(): void {
    for (const output of this.#outputs) output.pause();
    this.#budget.whenRoom(this.#readOn);
  }

  readonly #readOn = (): void => {
    if (this.#hasRoom) for (const output of this.#outputs) output.resume();
    else this.#budget.whenRoom(this.#readOn);
  };

  get #isSilent(): boolean {
    return this.#hasRoom && Date.now() - this.#lastOutput >= drainSilenceMs;
  }

  /** Resolves when the pipes ended, or were silent for a moment while the spool had room. */
  async #drained(): Promise<void> {
    const ended = Promise.all(this.#outputs.map((output) => end(output)));
    let open = true;
    void ended.then(() => {
      open = false;
    });
    this.#lastOutput = Date.now();
    while (open) {
      await Promise.race([ended, sleep(drainSilenceMs)]);
      if (!this.#isSilent) continue;
      // Woken late, or with the pipes just opened again: one turn of the event loop reads what lies in them.
      await nextTurn();
      if (this.#isSilent) return;
    }
  }
}

function end(output: Readable): Promise<void> {
  if (output.readableEnded || output.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    output.once("end", resolve);
    output.once("close", resolve);
  });
}
