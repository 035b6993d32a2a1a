/** API keys in the caller's environment, by the agent whose login they stand in for. */
const keys: Readonly<Record<string, readonly string[]>> = {
  claude: ["ANTHROPIC_API_KEY"],
  codex: ["OPENAI_API_KEY", "CODEX_API_KEY"],
};

/** The keys for a sandbox's agent that the caller has and nobody set otherwise; none where there is a login. */
export function callerKeys(
  agent: string,
  loggedIn: readonly string[],
  { env, given }: { env: NodeJS.ProcessEnv; given: Readonly<Record<string, string>> },
): Record<string, string> {
  const names = Object.keys(agent in keys ? { [agent]: [] } : keys)
    .filter((each) => !loggedIn.includes(each))
    .flatMap((each) => keys[each] ?? []);
  const found: Record<string, string> = {};
  for (const name of names) {
    const value = env[name];
    if (value && !(name in given)) found[name] = value;
  }
  return found;
}
