import { databaseUrl, openDatabase, releaseDatabase } from "@opentiger/orchestrator";
import { connectDocker, HostBackend, openState, SandboxError, stateFolder } from "@opentiger/sandbox";
import { Sandboxd } from "@opentiger/sandboxd";
import { uninstallPlugin } from "../plugin/plugin-file.ts";
import { takeDown } from "../server/take-down.ts";
import type { Inventory } from "./inventory.ts";
import { removeState } from "./remove-state.ts";

/**
 * Removes what was listed: first whoever would start something again, then the sandboxes with what works in them, their
 * images, and the folders last, so that one that fails half-way can be done again.
 */
export async function uninstall(
  env: NodeJS.ProcessEnv,
  { sandboxes, images, plugin }: Inventory,
  say: (sentence: string) => void,
): Promise<void> {
  say("ending what runs");
  await takeDown(env, { drain: false, say });
  const state = openState(stateFolder(env));
  if (sandboxes.length > 0) say(`removing ${sandboxes.length} sandboxes`);
  await new HostBackend(state).reset();
  if (state.records.list().records.length > 0 || images.length > 0) await emptyEngine(env, images);
  await new Sandboxd(env).stop();
  await leaveDatabase(env, state.instance);
  say("removing the folders");
  await removeState(env);
  if (plugin !== null) uninstallPlugin(plugin);
}

/** One of the user's own stays as it is, and may be the next instance's. Where it does not answer, that one is told what to do. */
async function leaveDatabase(env: NodeJS.ProcessEnv, instance: string): Promise<void> {
  if (!databaseUrl(env)) return;
  const database = await openDatabase({ env, program: "uninstall" }).catch(() => undefined);
  if (!database) return;
  await releaseDatabase(database, instance).finally(() => database.close());
}

async function emptyEngine(env: NodeJS.ProcessEnv, images: readonly string[]): Promise<void> {
  const backend = await connectDocker({ env, warn: () => {} });
  await backend.reset();
  const left = (await backend.list({ parked: "shown" })).filter(({ own }) => own);
  if (left.length > 0) {
    throw new SandboxError(
      "not_allowed_now",
      `sandboxes are being made: ${left.map(({ name }) => name).join(", ")}`,
      {
        remedy: "wait until they are done, or end who makes them; then try again",
      },
    );
  }
  for (const reference of images) await backend.images.remove(reference);
}
