import type { Sandbox } from "@opentiger/sandbox";
import type { AgentDriver, LaunchPlace } from "../driver.ts";
import { inTime } from "./in-time.ts";
import { KeptSessions } from "./kept-sessions.ts";

/** What is lost at most when sandbox and machine die in the middle of a run. */
const pauseMs = 10_000;

/** A sandbox that does not answer must not hold up the outcome. */
const longestMs = 150_000;

/** A long conversation takes longer to save; saving shall stay a small part of the time. */
const pauseFactor = 10;

export interface SaverParts {
  driver: AgentDriver;
  place: LaunchPlace;
  /** Absent: nothing is kept. */
  folder: string | undefined;
  sandbox: () => Sandbox;
  session: () => string | null;
}

/** Keeps a run's conversation outside its sandbox: now and then while it runs, and at its end. */
export class SessionSaver {
  readonly #parts: SaverParts;
  #next = Date.now() + pauseMs;
  #saving: Promise<boolean> | undefined;
  #kept = false;

  constructor(parts: SaverParts) {
    this.#parts = parts;
  }

  /** Saves it if the last time is long enough ago; nobody waits for it. */
  nowAndThen(): void {
    if (this.#saving || Date.now() < this.#next) return;
    void this.#begin();
  }

  /** Whether it was kept when it was last saved. */
  get isKept(): boolean {
    return this.#kept;
  }

  /** Says whether it is kept, as it is now or as it was shortly before. */
  async atEnd(): Promise<boolean> {
    const saved = Promise.resolve(this.#saving).then(() => this.#begin());
    return (await inTime(saved, { ms: longestMs, otherwise: false })) || this.#kept;
  }

  #begin(): Promise<boolean> {
    const started = Date.now();
    // A conversation that cannot be saved is no reason to end a run; what was kept before stays.
    this.#saving = this.#save().catch(() => false);
    return this.#saving.finally(() => {
      this.#saving = undefined;
      this.#next = Date.now() + Math.max(pauseMs, pauseFactor * (Date.now() - started));
    });
  }

  async #save(): Promise<boolean> {
    const { driver, place, folder, sandbox, session } = this.#parts;
    const id = session();
    if (folder === undefined || id === null || !driver.session) return false;
    const kept = await driver.session.save(sandbox(), place, id);
    if (!kept) return false;
    await new KeptSessions(folder).save(driver.name, id, kept);
    this.#kept = true;
    return true;
  }
}
