import { type CreateOptions, collect } from "@opentiger/sandbox";
import { type Series, sideBySide } from "./measure.ts";
import type { Place } from "./place.ts";

export const lifecycleNames = {
  dockerRun: "`docker run -d`",
  engineRun: "Engine API create + start",
  cold: "cold create → first exec, direct workspace",
  coldClone: "cold create → first exec, clone of a small repository",
  pool: "pool → first exec, no repository",
  poolRepository: "pool → first exec, clone of a small repository",
  stop: "stop",
  remove: "remove",
  dockerRemove: "`docker rm -f` (API)",
} as const;

/** From nothing to the first command's exit, and the end of it. */
export async function measureLifecycle(place: Place, rounds: number): Promise<Series[]> {
  let container = "";
  const park = async (): Promise<void> => void (await place.backend.fillPool({ size: 1 }));
  // Before sandboxd makes another, which would be what the next one to be made finds.
  const drain = async (): Promise<void> => {
    await place.backend.drainPool();
    await place.backend.remove("b-pool", { force: true });
  };
  const empty = { workspaces: [], workspaceKind: "clone" } as const;
  const small = { workspaces: [place.repository], workspaceKind: "clone" } as const;
  return sideBySide(
    [
      {
        name: lifecycleNames.dockerRun,
        run: async () => {
          container = place.dockerRun();
        },
        after: () => place.docker.getContainer(container).remove({ force: true, v: true }),
      },
      {
        name: lifecycleNames.engineRun,
        run: async () => {
          container = await place.plainContainer();
        },
      },
      {
        name: lifecycleNames.dockerRemove,
        run: () => place.docker.getContainer(container).remove({ force: true, v: true }),
      },
      { name: lifecycleNames.cold, run: () => createAndExec("b-cold", { workspaces: [place.workspace] }) },
      { name: lifecycleNames.stop, run: () => place.backend.stop("b-cold") },
      { name: lifecycleNames.remove, run: () => place.backend.remove("b-cold") },
      {
        name: lifecycleNames.coldClone,
        run: () => createAndExec("b-clone", small),
        after: () => place.backend.remove("b-clone", { force: true }),
      },
      {
        name: lifecycleNames.pool,
        before: park,
        run: () => createAndExec("b-pool", empty),
        after: drain,
      },
      {
        name: lifecycleNames.poolRepository,
        before: park,
        run: () => createAndExec("b-pool", small),
        after: drain,
      },
    ],
    rounds,
  );

  async function createAndExec(name: string, options: Omit<CreateOptions, "agent" | "name">): Promise<void> {
    const sandbox = await place.backend.create({ name, agent: "shell", ...options });
    const { exit } = await collect(await sandbox.exec(["true"]));
    if (exit.code !== 0) throw new Error(`exit ${exit.code}`);
    await sandbox.close();
  }
}
