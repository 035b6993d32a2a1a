import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { AgentRun } from "@opentiger/agents";
import type { AgentEvent } from "@opentiger/schema";
import { z } from "zod";
import type { Place } from "../place.ts";
import { Journal } from "../stage/journal.ts";
import type { Lease } from "../state/lease.ts";
import { noteRun, type RunRow } from "../state/runs.ts";
import { eventsFile, runFolder } from "./run-files.ts";

/** On which it is told that there is more to read of a run, by its id. */
export const runEventsChannel = "run_events";

/** So often others are told at most: fast enough to watch, slow enough for a database. */
const tellEveryMs = 300;

/** What a person said, as it stands before the agent's own events. */
export type SaidToAgent = Omit<Extract<AgentEvent, { type: "message" }>, "type" | "seq">;

const restNote = "what came after this was too much to be kept";

/**
 * What the agents of a run did and said, in a file that others read while it grows: an event a line, numbered on over all
 * of the run's agents, within a bound. After a crash it goes on behind its last whole line.
 */
export class EventRecord {
  readonly #place: Place;
  readonly #lease: Lease;
  readonly #run: RunRow;
  readonly #journal: Journal;
  readonly #limit: number;
  readonly #file: number;
  #bytes: number;
  /** Of the last event in the file: a writer that was taken for dead may have written it twice. */
  #last: number;
  #full: boolean;
  #session: string | null = null;
  #model: string | null = null;
  #told: { last: number; session: string | null } = { last: 0, session: null };
  #timer: NodeJS.Timeout | undefined;
  #telling: Promise<void> = Promise.resolve();

  private constructor(place: Place, lease: Lease, run: RunRow, known: Known) {
    this.#place = place;
    this.#lease = lease;
    this.#run = run;
    this.#journal = new Journal(runFolder(place, run));
    this.#limit = place.config.get("OPENTIGER_ARTIFACT_SIZE");
    this.#file = known.file;
    this.#bytes = known.bytes;
    this.#last = known.last;
    this.#full = known.full;
  }

  static async open(place: Place, lease: Lease, run: RunRow): Promise<EventRecord> {
    const path = eventsFile(place, run);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return new EventRecord(place, lease, run, wholeLines(path));
  }

  /** How many events of this agent stand in the file already, behind so many of what was said to it. */
  async heardOf(agent: string, said = 0): Promise<number> {
    return Math.max(0, this.#last - (await this.#before(agent)) - said);
  }

  /** Writes down what was said to this agent, once, and then what it does and says, to its end. */
  async follow(agent: Pick<AgentRun, "id" | "events">, said: readonly SaidToAgent[] = []): Promise<void> {
    const before = await this.#before(agent.id);
    const written = this.#last - before;
    for (const [index, one] of said.entries())
      if (index >= written) this.#write({ type: "message", ...one, seq: before + index + 1 });
    const first = before + said.length;
    for await (const event of agent.events) this.#write({ ...event, seq: first + event.seq });
  }

  /** Everybody was told of all of it when this returns. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#telling;
    await this.#tell();
    closeSync(this.#file);
  }

  /** How many there were of the agents before it. */
  async #before(agent: string): Promise<number> {
    const shape = z.object({ before: z.number().int().nonnegative() });
    const { before } = await this.#journal.step(`events-of-${agent}`, shape, async () => ({
      before: this.#last,
    }));
    return before;
  }

  #write(event: AgentEvent): void {
    if (event.type === "started") {
      this.#session = event.session ?? this.#session;
      this.#model = event.model ?? this.#model;
    }
    if (!this.#full && event.seq > this.#last) {
      const line = `${JSON.stringify(event)}\n`;
      this.#full = this.#bytes + Buffer.byteLength(line) > this.#limit;
      this.#append(this.#full ? `${JSON.stringify(rest(event))}\n` : line, event.seq);
    }
    this.#timer ??= setTimeout(() => this.#tellSoon(), tellEveryMs);
  }

  #append(line: string, seq: number): void {
    writeFileSync(this.#file, line);
    this.#bytes += Buffer.byteLength(line);
    this.#last = seq;
  }

  #tellSoon(): void {
    this.#timer = undefined;
    this.#telling = this.#telling.then(() => this.#tell());
  }

  /** Nobody relies on it: who was not told looks by itself. */
  async #tell(): Promise<void> {
    const [last, session] = [this.#last, this.#session];
    if (last === this.#told.last && session === this.#told.session) return;
    try {
      await noteRun(this.#place.database, this.#lease, this.#run.id, {
        lastSeq: last,
        ...(session === null ? {} : { session }),
        ...(this.#model === null ? {} : { model: this.#model }),
      });
      await this.#place.database.query("select pg_notify($1, $2)", [runEventsChannel, this.#run.id]);
      this.#told = { last, session };
    } catch (error) {
      this.#place.log(`run ${this.#run.id}: its events could not be told of: ${String(error)}`);
    }
  }
}

function rest({ seq, at }: AgentEvent): AgentEvent {
  return { type: "raw", stream: "stdout", line: restNote, seq, at };
}

interface Known {
  file: number;
  bytes: number;
  last: number;
  full: boolean;
}

/** A last line without its end was being written when its writer died. */
function wholeLines(path: string): Known {
  const text = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  const bytes = text.lastIndexOf(0x0a) + 1;
  const lines = text.subarray(0, bytes).toString("utf8").split("\n").slice(0, -1);
  const cut = openSync(path, "a", 0o600);
  ftruncateSync(cut, bytes);
  // One that is awake again may have written what another wrote already: the highest number counts, and not the last.
  const last = lines.reduce((highest, line) => Math.max(highest, seqOf(line)), 0);
  return { file: cut, bytes, last, full: isRest(lines.at(-1) ?? "") };
}

/** Behind it there is nothing. An agent may say the same words, as something else and with more to come. */
function isRest(line: string): boolean {
  return restEvent.safeParse(parsed(line)).success;
}

const restEvent = z.object({ type: z.literal("raw"), line: z.literal(restNote) });

const numbered = z.object({ seq: z.number().int().nonnegative() });

function seqOf(line: string): number {
  return numbered.safeParse(parsed(line)).data?.seq ?? 0;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
