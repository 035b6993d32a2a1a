import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loopSettings } from "@opentiger/schema";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { eventsFile, runFolder, transcriptFile } from "../../agent/run-files.ts";
import { failStage } from "../../dispatch/fail-stage.ts";
import { TemporaryJudgedLoop } from "../../fixture/temporary-judged-loop.ts";
import { planned } from "../../fixture/temporary-loop-place.ts";
import { claimed, claimOf, newLoop, newTask } from "../../fixture/temporary-loops.ts";
import { type TemporaryPlace, temporaryPlace } from "../../fixture/temporary-place.ts";
import { conclude } from "../../judging/conclude.ts";
import { failed, passed } from "../../judging/conclusion.ts";
import { openJudging } from "../../judging/judging.ts";
import { cancelLoop } from "../../loops/cancel-loop.ts";
import { finishPlanning } from "../../planning/finish-planning.ts";
import { failPlanning } from "../../planning/plan-failure.ts";
import { listArtifacts } from "../../state/artifacts.ts";
import { change } from "../../state/change.ts";
import { claimStage } from "../../state/claims.ts";
import type { Lease } from "../../state/lease.ts";
import { createLoop, findLoop, type LoopRow } from "../../state/loops.ts";
import { ensureRepository } from "../../state/repositories.ts";
import { findRun, type RunRow, startRun } from "../../state/runs.ts";
import { taskFailureOf } from "../task-failures.ts";
import { clean } from "./clean.ts";
import { endStrayRuns } from "./stray-runs.ts";

let place: TemporaryPlace;
const judgedLoops: TemporaryJudgedLoop[] = [];

beforeAll(async () => {
  place = await temporaryPlace();
});

beforeEach(async () => {
  await place.database.query("truncate loops, repositories cascade");
  place.lines.length = 0;
});

afterAll(async () => {
  for (const loop of judgedLoops) loop.remove();
  await place.remove();
});

interface Begun {
  loop: string;
  lease: Lease;
  run: RunRow;
}

/** However a run comes to its end, and in what the row says of it then. */
const ends: readonly [string, () => Promise<Begun>, (begun: Begun) => Promise<unknown>, RunRow["state"]][] = [
  [
    "a planner that made a plan",
    planning,
    async ({ lease, run, loop }) => {
      const plan = { summary: "It is made.", tasks: [planned("a")] };
      const about = { loop: await loopRow(loop), environment: "host" } as const;
      await finishPlanning(place, lease, about, { plan, run });
    },
    "succeeded",
  ],
  [
    "a planner that made none",
    planning,
    ({ lease, run }) => failPlanning(place, lease, run, taskFailureOf("auth"), { again: "by_person" }),
    "failed",
  ],
  ["a judge that passed it", judging, (begun) => judged(begun, passed({})), "succeeded"],
  ["a judge that did not pass it", judging, (begun) => judged(begun, failed([])), "succeeded"],
  ["a judge that broke", judging, ({ lease }) => failStage(place, lease, new Error("broken")), "failed"],
  [
    "an agent whose stage broke",
    working,
    ({ lease }) => failStage(place, lease, new Error("broken")),
    "failed",
  ],
  [
    "an agent that was cancelled",
    working,
    async ({ loop }) => {
      await cancelLoop(place.database, loop);
      await endStrayRuns(place);
    },
    "cancelled",
  ],
  [
    "an agent that nobody came back for",
    working,
    async ({ lease }) => {
      const again = { what: "task", id: lease.task ?? "", by: "again", from: "running" } as const;
      await change(place.database, { ...again, fence: lease.fence });
      await endStrayRuns(place);
    },
    "lost",
  ],
];

it.each(ends)("what %s said is kept after its loop", async (_who, begin, end, state) => {
  const begun = await begin();
  const { run, loop } = begun;
  mkdirSync(runFolder(place, run), { recursive: true });
  writeFileSync(eventsFile(place, run), "said\n");
  writeFileSync(transcriptFile(place, run), "as it was printed");
  writeFileSync(`${transcriptFile(place, run)}-piece-1`, "as it was printed");
  await end(begun);
  const left = readdirSync(runFolder(place, run));
  expect(left).toContain("events.ndjson");
  expect(
    left.filter((name) => name.startsWith("transcript")),
    "what was printed is gone",
  ).toEqual([]);
  expect((await findRun(place.database, run.id))?.state).toBe(state);
  await cancelLoop(place.database, loop).catch(() => {});
  await place.database.query("update loops set status = 'cancelled', ended_at = now()");
  expect(await clean(place)).toBe(true);
  expect(existsSync(eventsFile(place, run)), "its file").toBe(true);
  expect(readFileSync(eventsFile(place, run), "utf8")).toBe("said\n");
  const { items } = await listArtifacts(place.database, { run: run.id });
  expect(items).toMatchObject([{ kind: "transcript", path: eventsFile(place, run), bytes: 5 }]);
});

it("a run whose agent never began has no transcript that is kept", async () => {
  const { lease, run } = await working();
  await failStage(place, lease, new Error("broken"));
  expect((await listArtifacts(place.database, { run: run.id })).items).toEqual([]);
});

it("what a CLI printed goes with its run where whoever ended that was killed, and stays while one goes on", async () => {
  const { lease, run } = await working();
  mkdirSync(runFolder(place, run), { recursive: true });
  for (const name of ["transcript", "transcript-2", "start.json"])
    writeFileSync(join(runFolder(place, run), name), "{}");
  await clean(place);
  expect(readdirSync(runFolder(place, run)), "somebody may take it over").toHaveLength(3);
  const ended = { what: "run", id: run.id, by: "fail", from: "running", fence: lease.fence } as const;
  await change(place.database, ended);
  await clean(place, { endedWithinMs: 60_000 });
  expect(readdirSync(runFolder(place, run)), "its loop goes on").toEqual(["start.json"]);
  expect(place.lines).toEqual([]);
});

async function planning(): Promise<Begun> {
  const { id: repository } = await ensureRepository(place.database, {
    path: "/somewhere",
    name: "somewhere",
  });
  const settings = loopSettings.parse({});
  const asked = { repository, requirement: "More.", source: { kind: "prose" }, settings } as const;
  const { id: loop } = await createLoop(place.database, asked);
  return begun(loop, "planner");
}

async function working(): Promise<Begun> {
  const { loop } = await newLoop(place.database, [newTask("a")]);
  return begun(loop.id, "worker");
}

async function judging(): Promise<Begun> {
  const tasks = [newTask("a")];
  const loop = await TemporaryJudgedLoop.begin(place, { files: { "a/x": "1\n" }, tasks });
  judgedLoops.push(loop);
  await loop.submit(1, { "a/x": "2\n" });
  return begun(loop.id, "judge");
}

async function begun(loop: string, role: RunRow["role"]): Promise<Begun> {
  const lease = await claimed(claimStage(place.database, claimOf("me")));
  const run = await startRun(place.database, lease, { agent: "claude_code", role });
  if (!run) throw new Error("the lease is over");
  return { loop, lease, run };
}

/** As the judge's stage ends, by whoever goes on with it. */
async function judged({ lease }: Begun, conclusion: ReturnType<typeof passed>): Promise<void> {
  await conclude(await openJudging(place, lease, new AbortController().signal), conclusion, []);
}

async function loopRow(id: string): Promise<LoopRow> {
  const loop = await findLoop(place.database, id);
  if (!loop) throw new Error("the loop is gone");
  return loop;
}
