import { leftOutNote } from "../planning/approval.ts";
import { LeaseLost } from "../stage/lease-lost.ts";
import type { Database } from "../state/database.ts";
import { appendEvent } from "../state/events.ts";
import { isHeld, type Lease } from "../state/lease.ts";
import { lockLoop } from "../state/locks.ts";
import type { RunRow } from "../state/runs.ts";

const type = "run.left_out";

/** Tells which commands of a task are not run here, once for each run, whoever goes on with it. */
export async function tellLeftOut(
  database: Database,
  lease: Lease,
  { id: run, loop, task }: Pick<RunRow, "id" | "loop" | "task">,
  commands: readonly string[],
): Promise<void> {
  if (commands.length === 0) return;
  await database.transaction(async (on) => {
    await lockLoop(on, loop);
    if (!(await isHeld(on, lease))) throw new LeaseLost(lease.stage);
    const told = await on.query("select 1 from events where run_id = $1 and type = $2", [run, type]);
    if (told.rows.length > 0) return;
    await appendEvent(on, { loop, task, run, type, data: { notes: commands.map(leftOutNote) } });
  });
}
