import { auditChannel } from "../access/audit.ts";
import type { Parts } from "../parts.ts";

export interface News {
  event: "system.config" | "system.processes" | "system.build" | "system.audit" | "run.output";
  data: Readonly<Record<string, unknown>>;
}

/** More different things than this have not happened between two looks. */
const maxNews = 200;

/**
 * What is not in the feed: that settings or processes changed, how a build goes on, that somebody asked for something,
 * which may have changed keys, secrets or sandboxes, or that an agent said something. The same is told once, however
 * often it happened since it was last taken.
 */
export class SystemNews {
  readonly #leave: (() => void)[] = [];
  #news = new Map<string, News>();
  #wake = new AbortController();

  static of({ place, processes, images }: Pick<Parts, "place" | "processes" | "images">): SystemNews {
    const news = new SystemNews();
    const { notifications } = place.database;
    news.#leave.push(
      notifications.subscribe("system_config", (wake) => {
        if (wake.kind !== "polled") news.#tell({ event: "system.config", data: {} });
      }),
      notifications.subscribe(auditChannel, (wake) => {
        if (wake.kind !== "polled") news.#tell({ event: "system.audit", data: {} });
      }),
      notifications.subscribe("run_events", (wake) => {
        if (wake.kind === "notified") news.#tell({ event: "run.output", data: { run: wake.payload } });
      }),
      processes.onChange(() => news.#tell({ event: "system.processes", data: {} })),
      images.onChange(() => news.#tell({ event: "system.build", data: {} })),
    );
    return news;
  }

  /** Aborted when there is something to take. */
  get signal(): AbortSignal {
    return this.#wake.signal;
  }

  take(): News[] {
    const taken = [...this.#news.values()];
    this.#news = new Map();
    if (this.#wake.signal.aborted) this.#wake = new AbortController();
    return taken;
  }

  close(): void {
    for (const leave of this.#leave) leave();
  }

  #tell(news: News): void {
    if (this.#news.size < maxNews) this.#news.set(JSON.stringify(news), news);
    this.#wake.abort();
  }
}
