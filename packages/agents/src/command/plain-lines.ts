import type { AgentSaying } from "@opentiger/schema";
import type { AgentEnding, AgentReader } from "../driver.ts";

/** Of what it printed, for an answer that is looked for in it. */
const keptCharacters = 256 * 1024;

/** A CLI of which nothing is known but that it prints lines; how it ended says its exit code. */
export class PlainLines implements AgentReader {
  #kept: string[] = [];
  #characters = 0;

  line(line: string): AgentSaying[] {
    this.#kept.push(line);
    this.#characters += line.length + 1;
    while (this.#characters > keptCharacters && this.#kept.length > 1)
      this.#characters -= (this.#kept.shift()?.length ?? 0) + 1;
    return [{ type: "text", text: line }];
  }

  ending(): AgentEnding {
    return {
      complete: true,
      session: null,
      error: null,
      answer: undefined,
      lastText: this.#kept.length === 0 ? null : this.#kept.join("\n"),
      denials: [],
      tokens: null,
      usd: null,
      turns: null,
    };
  }
}
