import { change } from "../state/change.ts";
import type { Database } from "../state/database.ts";
import type { LoopRow } from "../state/loops.ts";
import { withLoop } from "./existing.ts";
import { loopNotNow } from "./refusal.ts";

/** Begins nothing more of this loop. What is being worked on comes to the end of its stage, and waits there. */
export async function pauseLoop(database: Database, id: string): Promise<LoopRow> {
  return withLoop(database, id, async (on, loop) => {
    if (loop.state === "paused(asked)") return;
    if (loop.state !== "running") throw loopNotNow(loop, "paused");
    await change(on, { what: "loop", id, by: "pause", from: loop.state, to: "paused(asked)" });
  });
}
