import type { GatewayCaller } from "../caller.ts";
import type { SourceFacts } from "./sources.ts";

/** The variables that may hold an API key. */
export const keyVariables = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "CODEX_API_KEY"] as const;
export type KeyVariable = (typeof keyVariables)[number];
export type Keys = Partial<Record<KeyVariable, string>>;

export type KeyHolder = Pick<GatewayCaller, "sandboxId" | "sandboxName">;

/**
 * API keys from the environment of whoever made a sandbox, for that sandbox alone. They are in memory and nowhere else,
 * so they end with sandboxd; one that sandboxd has in its own environment as well is not kept, and does not.
 */
export class GivenKeys {
  readonly #own: NodeJS.ProcessEnv;
  readonly #keys = new Map<string, ReadonlyMap<string, string>>();

  constructor(own: NodeJS.ProcessEnv) {
    this.#own = own;
  }

  /** Each in place of the one from before under the same variable; those that nothing is said of stay. */
  keep(sandboxId: string, keys: Keys): void {
    const kept = new Map(this.#keys.get(sandboxId));
    for (const [name, value] of Object.entries(keys)) {
      if (value.trim() === "") continue;
      if (value === this.#own[name]) kept.delete(name);
      else kept.set(name, value);
    }
    this.#keys.set(sandboxId, kept);
  }

  value(sandboxId: string, name: string): string | undefined {
    return this.#keys.get(sandboxId)?.get(name);
  }

  forget(sandboxId: string): void {
    this.#keys.delete(sandboxId);
  }

  /** The key that goes before one of sandboxd's own environment, where the sandbox was given it. */
  before({ from, ...source }: SourceFacts, holder: KeyHolder | undefined): SourceFacts[] {
    if (!holder || from.place !== "variable") return [];
    const { sandboxId, sandboxName } = holder;
    if (this.value(sandboxId, from.name) === undefined) return [];
    return [{ ...source, from: { place: "given", name: from.name, sandboxId, sandboxName } }];
  }
}
