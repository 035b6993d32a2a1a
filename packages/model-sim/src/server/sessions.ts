import type { Opening } from "../conversation/opening.ts";
import { sumOf } from "../scenario/reply.ts";
import {
  type Scenario,
  type ScenarioChoice,
  type ScenarioInput,
  scenarioSchema,
} from "../scenario/scenario.ts";
import { nothingSent, type Sent, Session, type SessionReport } from "./session.ts";

export interface ScenarioOptions {
  /** What the model does in every session for which nothing else was chosen. */
  scenario?: ScenarioInput;
  /** Chooses by how a session begins; of several, the first that gives one. */
  scenarioFor?: ScenarioChoice | readonly ScenarioChoice[];
}

/** All sessions so far. They know nothing of one another. */
export class Sessions {
  readonly #choices: readonly ScenarioChoice[];
  readonly #otherwise: Scenario;
  readonly #sessions = new Map<string, Session>();

  /** Throws where the scenario for all is not valid. */
  constructor({ scenario = { steps: [] }, scenarioFor = [] }: ScenarioOptions) {
    this.#choices = typeof scenarioFor === "function" ? [scenarioFor] : scenarioFor;
    this.#otherwise = scenarioSchema.parse(scenario);
  }

  of(key: string): Session {
    const session = this.#sessions.get(key) ?? new Session(key);
    this.#sessions.set(key, session);
    return session;
  }

  choose(opening: Opening): Scenario {
    for (const choice of this.#choices) {
      const chosen = choice(opening);
      if (chosen) return scenarioSchema.parse(chosen);
    }
    return this.#otherwise;
  }

  get reports(): SessionReport[] {
    return [...this.#sessions.values()].map(({ report }) => report);
  }

  get sent(): Sent {
    return this.reports.reduce<Sent>(
      (sum, { sent }) => ({
        main: sumOf(sum.main, sent.main),
        side: sumOf(sum.side, sent.side),
        cut: sumOf(sum.cut, sent.cut),
      }),
      nothingSent,
    );
  }
}
