import type { Execution, OutputChunk } from "@opentiger/sandbox";
import type { AgentEvent } from "@opentiger/schema";
import type { LaunchPlace } from "../driver.ts";
import { EventQueue } from "../events/event-queue.ts";
import { Narrator } from "../events/narrator.ts";
import { Redactor } from "../events/redactor.ts";
import { StderrFlood } from "../events/stderr-flood.ts";
import type { Stop } from "../outcome/classify.ts";
import type { AgentOutcome } from "../outcome/outcome.ts";
import { conclude, resumptionOf } from "./conclude.ts";
import { Heard } from "./heard.ts";
import { Hold, TakenOver } from "./hold.ts";
import { IdleWatch } from "./idle-watch.ts";
import { inTime } from "./in-time.ts";
import { removeRunFolder } from "./prepare.ts";
import { type AdoptRequest, type AgentRun, defaultLimits, type RunLimits } from "./request.ts";
import { SessionSaver } from "./session-saver.ts";
import { longestTimer } from "./timer.ts";
import { Transcript } from "./transcript.ts";
import type { ReadRecord } from "./transcript-reader.ts";
import type { RunRecord } from "./transcript-record.ts";
import { seenSince } from "./workspace-look.ts";

/** The supervisor itself ends a command whose time is up; we do where it does not. */
const timeoutSlackMs = 10_000;

/** Whoever cancels finds nothing of ours at work either, unless the sandbox does not answer us. */
const tidyPatienceMs = 10_000;

/** A run from its start, or from the moment it was taken over, to its outcome. */
export class Follower {
  readonly #request: AdoptRequest;
  readonly #run: RunRecord;
  readonly #place: LaunchPlace;
  readonly #limits: RunLimits;
  readonly #queue = new EventQueue();
  readonly #narrator: Narrator;
  readonly #flood = new StderrFlood();
  readonly #heard: Heard;
  readonly #saver: SessionSaver;
  readonly #hold: Hold;
  #transcript: Transcript | undefined;
  #idle: IdleWatch | undefined;
  #stop: Stop | null = null;
  /** The exit that an earlier process saw, or we. */
  #exit: { exit: Hold["exit"]; at: number } | undefined;
  /** Resolves when the exec is held, or known to be gone. */
  #begun: Promise<void> = Promise.resolve();
  #ending: Promise<void> | undefined;
  /** Resolves with the outcome, whatever that is. */
  #over: Promise<void> = Promise.resolve();

  constructor(request: AdoptRequest, run: RunRecord, place: LaunchPlace) {
    this.#request = request;
    this.#run = run;
    this.#place = place;
    this.#limits = { ...defaultLimits, ...request.limits };
    const task = { ...request.task, session: run.session };
    this.#narrator = new Narrator(request.driver.reader(task), new Redactor(request.redact ?? []));
    this.#heard = new Heard({ ...request, ...this.#limits, session: run.session });
    this.#hold = new Hold({ execId: run.execId, sandbox: request.sandbox, reopen: request.reopen });
    this.#saver = new SessionSaver({
      driver: request.driver,
      place,
      folder: request.sessions,
      sandbox: () => this.#hold.sandbox,
      session: () => this.#heard.session,
    });
  }

  /** Follows an exec that was just started. */
  follow(transcript: Transcript, execution: Execution): AgentRun {
    this.#transcript = transcript;
    this.#hold.take(execution);
    return this.#asRun(this.#toOutcome());
  }

  /** Hears what an earlier process heard, and goes on behind it. */
  adopt(past: AsyncIterable<ReadRecord>, firstSize: number): AgentRun {
    this.#begun = this.#replay(past, firstSize);
    this.#begun.catch(() => {}); // The outcome tells it.
    return this.#asRun(this.#toOutcome());
  }

  #asRun(outcome: Promise<AgentOutcome>): AgentRun {
    // Whoever cares awaits the outcome; nobody else shall be ended by it.
    this.#over = outcome.then(
      () => {},
      () => {},
    );
    const [run, heard] = [this.#run, this.#heard];
    return {
      id: run.id,
      execId: run.execId,
      get session() {
        return heard.session;
      },
      get resumed() {
        return resumptionOf(run, heard);
      },
      events: this.#queue,
      outcome,
      cancel: async (reason = "it was asked for") => {
        await this.#end({ type: "cancelled", message: reason });
        await inTime(this.#over, { ms: tidyPatienceMs, otherwise: undefined });
      },
    };
  }

  async #replay(past: AsyncIterable<ReadRecord>, firstSize: number): Promise<void> {
    let [end, full] = [firstSize, false];
    for await (const { record, data, size } of past) {
      end = size;
      if (record.kind === "full") full = true;
      if (record.kind === "stop") this.#stop ??= { type: record.type, message: record.message };
      if (record.kind === "exit") this.#exit = { exit: record.exit, at: record.at };
      if (record.kind === "stdout" || record.kind === "stderr") {
        this.#hold.offsets[record.kind] += data.length;
        await this.#tell(this.#narrator[record.kind](data, record.at));
      }
      if (record.kind === "skipped") {
        this.#hold.offsets.stderr += record.bytes;
        await this.#tell(this.#narrator.skipped(record.bytes, record.at));
      }
    }
    this.#transcript = Transcript.goOn(this.#request.transcript, { size: end, full });
    await this.#hold.attach().catch((error: unknown) => {
      if (!this.#exit) throw error;
    });
  }

  async #toOutcome(): Promise<AgentOutcome> {
    const { signal, letGo } = this.#request;
    const abort = (): void => this.#endUnattended({ type: "cancelled", message: "it was asked for" });
    const leave = (): void => this.#letGo();
    signal?.addEventListener("abort", abort, { once: true });
    letGo?.addEventListener("abort", leave, { once: true });
    const late = setTimeout(() => this.#timedOut(), Math.min(longestTimer, this.#timeLeft));
    try {
      if (letGo?.aborted) leave();
      else if (signal?.aborted) abort();
      await this.#begun;
      this.#idle = new IdleWatch(
        this.#limits.idleMs,
        (since) => this.#look(since),
        () => this.#idled(),
      );
      const stop = this.#stop ?? this.#tooMuch;
      if (stop) this.#endUnattended(stop);
      await this.#listen();
      return await this.#conclude();
    } catch (error) {
      if (!(error instanceof TakenOver)) await this.#hold.endAll().catch(() => {});
      throw error;
    } finally {
      clearTimeout(late);
      signal?.removeEventListener("abort", abort);
      letGo?.removeEventListener("abort", leave);
      this.#idle?.stop();
      this.#queue.close();
      this.#transcript?.close();
    }
  }

  async #listen(): Promise<void> {
    if (this.#exit) return;
    for await (const chunk of this.#hold.output()) await this.#take(chunk);
    this.#exit = { exit: this.#hold.exit, at: Date.now() };
    if (this.#exit.exit) this.#transcript?.exit(this.#exit.exit, this.#exit.at);
  }

  async #take({ stream, data }: OutputChunk): Promise<void> {
    const now = Date.now();
    this.#idle?.touch();
    if (stream === "stderr" && !this.#flood.takes(data.length, now)) {
      this.#transcript?.skipped(data.length, now);
      return this.#tell(this.#narrator.skipped(data.length, now));
    }
    this.#transcript?.piece(stream, data, now);
    await this.#tell(this.#narrator[stream](data, now));
    // A reader that took its time is no silence of the agent.
    this.#idle?.touch();
  }

  async #tell(events: Iterable<AgentEvent>): Promise<void> {
    for (const event of events) {
      this.#hear(event);
      if (event.seq > (this.#request.after ?? 0)) await this.#queue.push(event);
    }
  }

  /** What an earlier process heard is acted on only when all of it is known. */
  #hear(event: AgentEvent): void {
    this.#heard.hear(event);
    if (!this.#idle) return;
    if (event.type === "tool_result") this.#saver.nowAndThen();
    const tooMuch = this.#tooMuch;
    if (tooMuch) this.#endUnattended(tooMuch);
  }

  get #tooMuch(): Stop | undefined {
    return this.#heard.tooMuch ?? this.#narrator.tooMuch;
  }

  async #look(since: number): Promise<boolean> {
    if (this.#queue.isFull) return true;
    const { cwd } = this.#place;
    return seenSince(since, { sandbox: this.#hold.sandbox, cwd, gateway: this.#request.gateway });
  }

  #idled(): void {
    const message = `nothing for ${Math.round(this.#limits.idleMs / 1000)} seconds`;
    this.#endUnattended({ type: "idle", message });
  }

  get #timeLeft(): number {
    return this.#run.startedAt + this.#limits.timeoutMs + timeoutSlackMs - Date.now();
  }

  #timedOut(): void {
    const message = `it had ${Math.round(this.#limits.timeoutMs / 1000)} seconds`;
    this.#endUnattended({ type: "timeout", message });
  }

  #letGo(): void {
    this.#hold.letGo();
    this.#queue.hurry();
  }

  /** What cannot be ended is lost, and the outcome says so. */
  #endUnattended(stop: Stop): void {
    this.#end(stop).catch(() => {});
  }

  /** Ends everything of the run; the first reason is the one that counts. */
  #end(stop: Stop): Promise<void> {
    if (!this.#exit && !this.#stop) {
      this.#stop = stop;
      this.#transcript?.stop(stop);
    }
    this.#queue.hurry();
    if (this.#exit && !this.#ending) return this.#over;
    this.#ending ??= this.#begun.then(() => this.#hold.endAll());
    return this.#ending;
  }

  async #conclude(): Promise<AgentOutcome> {
    const { exit = null, at = Date.now() } = this.#exit ?? {};
    await this.#tell(this.#narrator.end(at));
    this.#idle?.stop();
    await this.#hold.endRest();
    const { isSandboxRemoved } = this.#hold;
    const sessionKept = isSandboxRemoved ? this.#saver.isKept : await this.#saver.atEnd();
    if (exit) await removeRunFolder(this.#hold.sandbox, this.#place).catch(() => {});
    return conclude({
      request: this.#request,
      run: this.#run,
      exit,
      isSandboxRemoved,
      at,
      stop: this.#stop,
      ending: this.#narrator.ending(),
      events: this.#narrator.told,
      heard: this.#heard,
      sessionKept,
    });
  }
}
