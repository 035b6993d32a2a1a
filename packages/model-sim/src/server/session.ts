import { canonical, type Item } from "../conversation/item.ts";
import type { Opening } from "../conversation/opening.ts";
import { prefixProblem, replyProblems } from "../conversation/prefix.ts";
import { noTokens, sumOf, type Tokens } from "../scenario/reply.ts";
import type { Scenario } from "../scenario/scenario.ts";
import type { Trouble } from "../scenario/step.ts";
import type { Turn, TurnOutcome } from "../scenario/turn.ts";

/** Tokens as the usage fields told them. */
export interface Sent {
  /** Of the conversation itself. */
  main: Tokens;
  /** Of what a CLI asks beside it, such as a title. */
  side: Tokens;
  /** Of answers that never came to their end; Anthropic's API tells most of them at the start. */
  cut: Tokens;
}

export const nothingSent: Sent = { main: noTokens, side: noTokens, cut: noTokens };

/** What can be asked of a session afterwards. */
export interface SessionReport {
  key: string;
  /** undefined while there were only requests beside the conversation. */
  opening: Opening | undefined;
  /** All that the user said, in the newest request. */
  prompts: readonly string[];
  /** The newest request's conversation. */
  items: readonly Item[];
  /** Of the conversation, retries included. */
  requests: number;
  /** Whether each request began with all that was in the one before. */
  prefixKept: boolean;
  problems: readonly string[];
  sent: Sent;
}

interface Taken {
  problems: readonly string[];
  newItems: readonly Item[];
  /** The step of the scenario at which the conversation began. */
  from: number;
}

/** One session of a CLI, as far as it was seen. */
export class Session {
  readonly key: string;
  readonly #met = new Map<number, number>();
  readonly #problems: string[] = [];
  #begun: { opening: Opening; scenario: Scenario } | undefined;
  #items: readonly Item[] = [];
  #turn: Turn | undefined;
  #step = 0;
  #from = 0;
  #requests = 0;
  #prefixKept = true;
  #sent = nothingSent;

  constructor(key: string) {
    this.key = key;
  }

  /** Its scenario, chosen when its conversation begins. */
  scenario(opening: Opening, choose: (opening: Opening) => Scenario): Scenario {
    this.#begun ??= { opening, scenario: choose(opening) };
    return this.#begun.scenario;
  }

  /** What is wrong with a request of this conversation. It is what the next one is compared with. */
  take(items: readonly Item[]): Taken {
    const changed = prefixProblem(this.#items, items);
    const newItems = items.slice(this.#items.length);
    const altered = replyProblems(this.#turn?.kind === "reply" ? this.#turn.reply : undefined, newItems);
    if (changed !== undefined || altered.length > 0) this.#prefixKept = false;
    // A CLI that made the conversation shorter begins it anew, in the middle of the scenario.
    if (canonical(this.#items[0]) !== canonical(items[0])) this.#from = this.#step;
    this.#items = items;
    this.#requests += 1;
    return {
      problems: [...(changed === undefined ? [] : [changed]), ...altered],
      newItems,
      from: this.#from,
    };
  }

  /** What came of a request of this conversation. */
  decided({ turn, step }: Pick<TurnOutcome, "turn" | "step">): void {
    this.#step = step ?? this.#step;
    this.#turn = turn;
  }

  /** Whether the conversation is too long, and stays so. */
  get isTooLong(): boolean {
    if (this.#turn?.kind !== "failure" || this.#turn.failure.kind !== "contextTooLong") return false;
    const step = this.#begun?.scenario.steps[this.#step];
    return step?.do === "contextTooLong" && this.#isLeft(this.#step, step);
  }

  note(problems: readonly string[]): void {
    this.#problems.push(...problems);
  }

  /** Whether a trouble is still to be met; counted by its step, since it leaves no trace in the conversation. */
  meets(step: number, trouble: Trouble): boolean {
    if (!this.#isLeft(step, trouble)) return false;
    this.#met.set(step, (this.#met.get(step) ?? 0) + 1);
    return true;
  }

  #isLeft(step: number, { times }: Trouble): boolean {
    return times === "forever" || (this.#met.get(step) ?? 0) < times;
  }

  count(kind: keyof Sent, tokens: Tokens): void {
    this.#sent = { ...this.#sent, [kind]: sumOf(this.#sent[kind], tokens) };
  }

  get report(): SessionReport {
    return {
      key: this.key,
      opening: this.#begun?.opening,
      prompts: this.#items.flatMap((item) => (item.kind === "user" ? [item.text] : [])),
      items: this.#items,
      requests: this.#requests,
      prefixKept: this.#prefixKept,
      problems: [...this.#problems],
      sent: this.#sent,
    };
  }
}
