/**
 * An agent that takes no time: of a task called `Write NAME` it writes NAME.txt, one called `Await FILE` it ends when that
 * is there, one called `Keep …` never, and says when it began, in nanoseconds. As a judge it passes everything.
 */
const script = `started=$(date +%s%N)
prompt=$(cat)
case $prompt in
"# Keep"*) echo "started $started"; exec sleep 86400 ;;
"# Await "*) echo "started $started"; file=\${prompt%%
*}; file=\${file#\\# Await }; until [ -e "$file" ]; do sleep 0.1; done; cp "$file" awaited.txt ;;
"# Write "*) echo "started $started"; name=\${prompt%%
*}; name=\${name#\\# Write }; echo "$name" > "$name.txt" ;;
*) echo '{"judgement":"pass","summary":"It is as asked for.","points":[]}' ;;
esac`;

/** For OPENTIGER_AGENT_COMMAND. */
export const quickAgent: readonly string[] = ["sh", "-c", script];

/** In what such an agent said: when it began, in milliseconds since 1970. */
export function begunAt(said: string): number | undefined {
  const [, nanoseconds] = /started (\d+)/.exec(said) ?? [];
  return nanoseconds === undefined ? undefined : Number(nanoseconds) / 1e6;
}

/** Everybody is such an agent, for the settings of a loop. */
export const quickAgents = {
  planner: { agent: "command" },
  worker: { agent: "command" },
  tester: { agent: "command" },
  docser: { agent: "command" },
  judge: { agent: "command" },
} as const;
