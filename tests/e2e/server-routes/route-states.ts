import { TemporaryJudgedLoop } from "../../../packages/orchestrator/src/fixture/temporary-judged-loop.ts";
import { newTask } from "../../../packages/orchestrator/src/fixture/temporary-loops.ts";
import type { Place } from "../../../packages/orchestrator/src/index.ts";
import { endLoopIfOver } from "../../../packages/orchestrator/src/loops/end-loop.ts";
import { mergeStage } from "../../../packages/orchestrator/src/merging/merge-stage.ts";
import { change } from "../../../packages/orchestrator/src/state/change.ts";
import { createLoop } from "../../../packages/orchestrator/src/state/loops.ts";
import { loopSettings } from "../../../packages/schema/src/index.ts";
import { atEnd } from "../../setup/at-end.ts";

/** Loops and a task in the states in which one can do something with them. */
export interface RouteStates {
  /** Its plan waits for somebody. */
  waiting: string;
  /** Its one task failed. */
  failed: string;
  /** It is done, and has a commit on its branch. */
  done: string;
  /** A task that waits for its judge. */
  judged: string;
}

export async function routeStates(place: Place): Promise<RouteStates> {
  const done = await begin(place);
  await done.submit(1, { "a.txt": "by an agent\n" });
  await done.pass(1);
  await mergeStage(place, await done.claim(1), new AbortController().signal);
  await endLoopIfOver(place.database, done.id);
  const failed = await begin(place);
  await failed.submit(1, { "a.txt": "badly\n" });
  const { id } = await failed.task();
  await change(place.database, { what: "task", id, by: "give_up", from: "blocked(awaiting_judge)" });
  await endLoopIfOver(place.database, failed.id);
  const judged = await begin(place);
  await judged.submit(1, { "a.txt": "perhaps\n" });
  const waiting = await createLoop(place.database, {
    repository: (await judged.row()).repository,
    requirement: "It is to be looked at first.",
    source: { kind: "prose" },
    settings: loopSettings.parse({}),
    plan: { tasks: [newTask("a")], approved: false },
  });
  return { waiting: waiting.id, failed: failed.id, done: done.id, judged: (await judged.task()).id };
}

async function begin(place: Place): Promise<TemporaryJudgedLoop> {
  const tasks = [newTask("one", { allowedPaths: ["*.txt"] })];
  const loop = await TemporaryJudgedLoop.begin(place, { files: { "a.txt": "as it was\n" }, tasks });
  atEnd(async () => loop.remove());
  return loop;
}
