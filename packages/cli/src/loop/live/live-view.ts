import { type OpenPlace, runEventsChannel } from "@opentiger/orchestrator";
import { type Colours, coloursFor } from "../../output/colours.ts";
import type { Surroundings } from "../../program/surroundings.ts";
import { renderFrame } from "./frame.ts";
import { LiveLoop } from "./live-loop.ts";
import { Screen } from "./screen.ts";

/** Often enough to look alive. */
const drawMs = 120;

/** The database is asked at most so often, however much happens. */
const refreshMs = 250;

/** A person's view of a loop: its tasks as they stand now, drawn again in place, below what has happened. */
export class LiveView {
  readonly #place: OpenPlace;
  readonly #loop: LiveLoop;
  readonly #screen: Screen;
  readonly #surroundings: Surroundings;
  readonly #colours: Colours;
  readonly #page: string | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #unsubscribe: () => void;
  #notice: string | undefined;
  #stale = true;
  #heard = true;
  #refreshedAt = 0;
  #working: Promise<void> | undefined;

  constructor(place: OpenPlace, id: string, surroundings: Surroundings, page: string | undefined) {
    const { stdout, env } = surroundings;
    this.#place = place;
    this.#surroundings = surroundings;
    this.#loop = new LiveLoop(place, id);
    this.#screen = new Screen(stdout);
    this.#colours = coloursFor(stdout, env);
    this.#page = page;
    this.#unsubscribe = place.database.notifications.subscribe(runEventsChannel, () => {
      this.#heard = true;
    });
    this.#timer = setInterval(() => void this.#tick(), drawMs);
  }

  /** Something has happened: it is shown above, and the tasks may stand differently. */
  tell(lines: readonly string[]): void {
    this.#stale = true;
    if (lines.length > 0) this.#screen.print(`${lines.join("\n")}\n`);
  }

  notice(text: string): void {
    this.#notice = text;
  }

  /** The last frame stays, as everything was at the end. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#unsubscribe();
    await this.#working;
    this.#stale = true;
    this.#refreshedAt = 0;
    await this.#look().catch(() => {});
    this.#draw("last");
    this.#screen.end("stay");
  }

  #tick(): Promise<void> {
    this.#working ??= this.#look()
      .catch((error: unknown) => this.#place.log(`it could not be looked at: ${String(error)}`))
      .then(() => this.#draw("one of many"))
      .finally(() => {
        this.#working = undefined;
      });
    return this.#working;
  }

  async #look(): Promise<void> {
    if (this.#stale && performance.now() - this.#refreshedAt > refreshMs) {
      this.#stale = false;
      this.#heard = true;
      await this.#loop.refresh();
      this.#refreshedAt = performance.now();
    }
    if (!this.#heard) return;
    this.#heard = false;
    await this.#loop.listen();
  }

  #draw(which: "one of many" | "last"): void {
    const { state } = this.#loop;
    if (!state) return;
    const { columns, rows } = this.#screen;
    const lines = renderFrame(state, {
      columns,
      rows,
      colours: this.#colours,
      now: this.#surroundings.now(),
      page: this.#page,
      notice: this.#notice,
    });
    // What to do next is said by the summary.
    this.#screen.draw(which === "last" ? lines.slice(0, -1) : lines);
  }
}
