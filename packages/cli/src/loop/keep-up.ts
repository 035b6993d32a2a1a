import { DispatcherClient, ensureDispatcher } from "@opentiger/orchestrator";
import { ensureServer, ServerClient } from "@opentiger/server/control";

export interface KeptUp {
  /** Since when somebody waits: a `down` from then on is obeyed. */
  begun: Date;
  /** Whether people were told of the dashboard. */
  server: boolean;
}

/**
 * Starts what is not there any more, be it that it was killed, for whoever waits for what it does. Looked for first, and
 * started only if nobody has said `down` while that took: what is being ended answers nobody either.
 */
export async function keepUp(env: NodeJS.ProcessEnv, { begun, server }: KeptUp): Promise<void> {
  const known = new ServerClient(env);
  const isMissed = async (client: { status(): Promise<unknown> }): Promise<boolean> =>
    !(await client.status()) && !known.downSince(begun);
  if (await isMissed(new DispatcherClient(env))) await ensureDispatcher(env);
  if (server && (await isMissed(known))) await ensureServer(env);
}
