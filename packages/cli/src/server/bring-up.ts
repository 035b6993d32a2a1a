import { ensureDispatcher, OrchestratorError } from "@opentiger/orchestrator";
import { ensureServer } from "@opentiger/server/control";
import { coloursFor } from "../output/colours.ts";
import type { Surroundings } from "../program/surroundings.ts";

/**
 * Returns when somebody works on loops, in the background: the server and the dispatcher that it looks after. A server
 * that cannot start, because its port is taken say, is no reason not to work: then there is no dashboard, and that is
 * said with the remedy. Returns the server's URL.
 */
export async function bringUp(
  { env, stderr }: Surroundings,
  { json }: { json?: true },
): Promise<string | undefined> {
  // The dispatcher first, so that the server finds it and starts no second one.
  const dispatcher = ensureDispatcher(env);
  const server = ensureServer(env).catch((error: unknown) => {
    if (!(error instanceof OrchestratorError)) throw error;
    return error;
  });
  const [found] = await Promise.all([server, dispatcher]);
  if (!(found instanceof OrchestratorError)) return found.status.url ?? undefined;
  const { message, remedy } = found;
  if (json) stderr.write(`${JSON.stringify({ warning: `no dashboard: ${message}`, remedy })}\n`);
  else
    stderr.write(
      `${coloursFor(stderr, env).yellow("note:")} no dashboard: ${message}\n  → ${remedy ?? "opentiger up"}\n`,
    );
  return undefined;
}
