import type { Place } from "@opentiger/orchestrator";
import type { Sandbox } from "@opentiger/sandbox";

/** Where it is asked for: on the host, or in a container. */
export type Where = "host" | "sandbox";

/** Works with a sandbox over a session of its own, which ends with the work. */
export async function withinSandbox<T>(
  place: Pick<Place, "backend">,
  name: string,
  where: Where,
  work: (sandbox: Sandbox) => Promise<T>,
): Promise<T> {
  const sandbox = await (await place.backend(where)).open(name);
  try {
    return await work(sandbox);
  } finally {
    await sandbox.close();
  }
}
