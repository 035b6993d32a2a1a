import type { BuildEvent } from "@opentiger/sandbox";

/** The output of a build's commands is shown at most this often: thousands of lines would say nothing. */
const outputEveryMs = 1_000;

/** Turns the events of an image build into lines that a person can follow. */
export class BuildProgress {
  readonly #line: (text: string) => void;
  readonly #now: () => number;
  #step = "";
  #shownAt = Number.NEGATIVE_INFINITY;

  constructor(line: (text: string) => void, now: () => number = () => performance.now()) {
    this.#line = line;
    this.#now = now;
  }

  take(event: BuildEvent): void {
    switch (event.kind) {
      case "step":
        this.#step = `step ${event.step}/${event.steps}`;
        return this.#show(`${this.#step}: ${event.text}`);
      case "note":
        return this.#show(event.text);
      case "pull":
        return this.#showSometimes(`${event.status} ${event.layer}${percent(event)}`.trim());
      case "output":
        return this.#showSometimes(`${this.#step ? `${this.#step}: ` : ""}${event.text}`);
    }
  }

  #show(text: string): void {
    this.#shownAt = this.#now();
    this.#line(text);
  }

  #showSometimes(text: string): void {
    if (this.#now() - this.#shownAt >= outputEveryMs) this.#show(text);
  }
}

function percent({ current, total }: { current?: number; total?: number }): string {
  return current === undefined || !total ? "" : ` ${Math.floor((current / total) * 100)} %`;
}
