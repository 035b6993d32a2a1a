import { once } from "node:events";
import { expect, it, vi } from "vitest";
import { newLoop, newTask, startedRun, stateOf } from "../../fixture/temporary-loops.ts";
import { temporaryPlace } from "../../fixture/temporary-place.ts";
import { change } from "../../state/change.ts";
import { findRun, noteRun } from "../../state/runs.ts";
import { Reconciler } from "./reconciler.ts";

it("an engine that hangs keeps nothing from being settled", async () => {
  const place = await temporaryPlace();
  const { tasks } = await newLoop(place.database, [newTask("a"), newTask("b", { needs: [1] })]);
  const { lease, run } = await startedRun(place.database);
  await noteRun(place.database, lease, run.id, { sandbox: "loop-00000000-shell-1" });
  const [engine, host] = [new AbortController(), await place.backend("host")];
  const backend = async () => {
    if (!engine.signal.aborted) await once(engine.signal, "abort");
    return host;
  };
  const reconciler = Reconciler.start({ ...place, backend });
  const failed = { what: "task", id: tasks[0]?.id ?? "", by: "give_up", from: "running" } as const;
  await change(place.database, { ...failed, fence: lease.fence });
  await vi.waitFor(
    async () => expect(await stateOf(place.database, tasks[1]?.id)).toBe("blocked(dependency_failed)"),
    10_000,
  );
  engine.abort();
  await vi.waitFor(async () => expect((await findRun(place.database, run.id))?.state).toBe("lost"), 10_000);
  await reconciler.stop();
  await place.remove();
});
