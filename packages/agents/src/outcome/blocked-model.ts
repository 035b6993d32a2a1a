import { isModelHost } from "@opentiger/sandboxd";
import type { AgentName } from "@opentiger/schema";
import type { NetworkRow } from "../run/gateway.ts";

/** Where these ask their model unless a variable says otherwise. They knock elsewhere too, and do without. */
const ownModels: Readonly<Partial<Record<AgentName, readonly string[]>>> = {
  claude: ["api.anthropic.com"],
  codex: ["api.openai.com", "chatgpt.com"],
};

/** Variables that name the URL of a model: `ANTHROPIC_BASE_URL`, for one. */
const modelVariable = /_BASE_URL$|_API_BASE$/;

export interface AskedModels {
  /** When the run began. */
  since: number;
  /** By its template. */
  agent: AgentName;
  env: Readonly<Record<string, string>> | undefined;
}

/**
 * The model's host, where the sandbox was refused it since then and reached no other one: the policy is why the run
 * came to nothing. A CLI takes the refusal for a broken network or a bad credential.
 */
export function blockedModel(
  rows: readonly NetworkRow[],
  { since, agent, env = {} }: AskedModels,
): string | undefined {
  const named = new Set(Object.entries(env).flatMap(([name, value]) => hostsOf(name, value)));
  const own = ownModels[agent];
  const isModel = (host: string) => named.has(host) || (own ? own.includes(host) : isModelHost(host));
  const asked = rows.filter(({ host, lastSeen }) => Date.parse(lastSeen) >= since && isModel(host));
  const wasReached = asked.some(({ lastSeen, lastBlocked }) => lastSeen !== lastBlocked);
  return wasReached ? undefined : asked[0]?.host;
}

function hostsOf(name: string, value: string): string[] {
  return modelVariable.test(name) && URL.canParse(value) ? [new URL(value).hostname] : [];
}
