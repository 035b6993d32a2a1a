import type { Place } from "@opentiger/orchestrator";
import type { OpenOptions, Sandbox } from "@opentiger/sandbox";

/** Where it is asked for: on the host, or in a container. */
export type Where = "host" | "sandbox";

/** Works with a sandbox over a session of its own, which ends with the work. */
export async function withinSandbox<T>(
  place: Pick<Place, "backend">,
  name: string,
  where: Where,
  work: (sandbox: Sandbox) => Promise<T>,
  options: OpenOptions = {},
): Promise<T> {
  const sandbox = await (await place.backend(where)).open(name, options);
  try {
    return await work(sandbox);
  } finally {
    await sandbox.close();
  }
}

/** The same for what pages ask again and again: one that somebody stopped is not started for that. */
export function lookInto<T>(
  place: Pick<Place, "backend">,
  name: string,
  where: Where,
  look: (sandbox: Sandbox) => Promise<T>,
): Promise<T> {
  return withinSandbox(place, name, where, look, { stopped: "refused" });
}
