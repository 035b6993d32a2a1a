import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { soak } from "../../../../tests/setup/soak.ts";
import { temporaryDatabase } from "../fixture/temporary-database.ts";
import { claimed, claimOf, newLoop, newTask } from "../fixture/temporary-loops.ts";
import { advanceBranch } from "./branch.ts";
import { change } from "./change.ts";
import { claimStage } from "./claims.ts";
import type { Database } from "./database.ts";
import { addJudgement } from "./judgements.ts";
import { type Lease, takeOver } from "./lease.ts";
import { findLoop } from "./loops.ts";
import { findTask } from "./tasks.ts";

const instance = await temporaryDatabase();

let database: Database;

beforeAll(async () => {
  database = await instance.open();
});

beforeEach(async () => {
  await database.query("truncate loops, repositories cascade");
});

afterAll(() => instance.remove());

const judges = claimOf("me", {}, ["judge"]);
const mergers = claimOf("me", {}, ["merger"]);

describe("candidates that have passed", () => {
  it("are judged beside each other until then, and go on one at a time, who passed first before the others", async () => {
    await candidates(3);
    const [one, two, three] = [await judging(), await judging(), await judging()];
    for (const each of [two, one, three]) await pass(each);
    const first = await claimed(claimStage(database, mergers));
    expect(first.task).toBe(two.lease.task);
    expect(await claimStage(database, mergers)).toMatchObject({ claimed: false });
    expect(await merge(first, two.tip)).toBe("merged");
    const next = await claimed(claimStage(database, mergers));
    expect(next.task).toBe(one.lease.task);
    expect(await merge(next, one.tip)).toBe("judged again");
    // Who is to be merged goes first, also one whose judgement does not hold any more.
    expect(await claimStage(database, judges)).toMatchObject({ claimed: false });
    const last = await claimed(claimStage(database, mergers));
    expect(await merge(last, three.tip)).toBe("judged again");
    const again = await judging();
    expect(again.lease.task).toBe(one.lease.task);
    expect(await claimStage(database, judges)).toMatchObject({ claimed: false });
    await pass(again);
    expect(await merge(await claimed(claimStage(database, mergers)), again.tip)).toBe("merged");
    expect((await judging()).lease.task).toBe(three.lease.task);
  });

  it("keep others waiting only while the branch is about to move, and nobody while they wait for their time", async () => {
    await candidates(3);
    const one = await judging();
    await pass(one);
    expect(await claimStage(database, judges)).toMatchObject({ claimed: false });
    const lease = await claimed(claimStage(database, mergers));
    expect(await claimStage(database, judges)).toMatchObject({ claimed: false });
    const notBefore = new Date(Date.now() + 3_600_000);
    await judgeAgain(lease, { notBefore });
    const two = await judging();
    expect(two.lease.task).not.toBe(one.lease.task);
    await database.query("update stages set not_before = '-infinity' where task_id = $1", [one.lease.task]);
    expect((await judging()).lease.task).toBe(one.lease.task);
    await judging();
    await pass(two);
    expect(await claimStage(database, mergers)).toMatchObject({ claimed: false });
  });

  it("keep nobody waiting in another loop", async () => {
    await candidates(1);
    await pass(await judging());
    await claimed(claimStage(database, mergers));
    await candidates(1);
    await pass(await judging());
    expect(await claimStage(database, mergers)).toMatchObject({ claimed: true });
  });
});

it("whoever works how fast and dies, each candidate is judged twice at most, and merged where it was judged", async () => {
  const step = fc.record({ which: fc.nat({ max: 20 }), dies: fc.nat({ max: 5 }).map((n) => n === 0) });
  const property = fc.asyncProperty(
    fc.integer({ min: 2, max: 6 }),
    fc.integer({ min: 1, max: 4 }),
    fc.array(step, { minLength: 60, maxLength: 60 }),
    async (count, atOnce, steps) => {
      await database.query("truncate loops, repositories cascade");
      const { tasks } = await candidates(count);
      const held: Judging[] = [];
      /** Of each task the tips that it was judged on. */
      const judgedOn = new Map<string, string[]>(tasks.map(({ id }) => [id, []]));
      for (const { which, dies } of steps) {
        held.push(...(await allThatMayBegin(atOnce)));
        const [taken] = held.splice(which % Math.max(1, held.length), 1);
        if (!taken) break;
        if (dies) held.push(await takenOver(taken));
        else await ended(taken, judgedOn);
      }
      for (const { id } of tasks) expect((await findTask(database, id))?.state).toBe("done");
      const rounds = [...judgedOn.values()].map(({ length }) => length);
      // With one judge there is nobody who could move the branch meanwhile.
      expect(Math.max(...rounds)).toBeLessThanOrEqual(atOnce === 1 ? 1 : 2);
    },
  );
  await fc.assert(property, { numRuns: soak ? 60 : 5, endOnFailure: true });
}, 600_000);

interface Judging {
  lease: Lease;
  /** Where the branch was when it began. */
  tip: string;
}

/** A loop whose tasks all wait for the judge. */
async function candidates(count: number): ReturnType<typeof newLoop> {
  const names = Array.from({ length: count }, (_, index) => newTask(`t${index}`));
  const made = await newLoop(database, names);
  for (const _ of names) {
    const lease = await claimed(claimStage(database, claimOf("me", {}, ["worker"])));
    const asked = { what: "task", id: lease.task ?? "", by: "submit", from: "running" } as const;
    await change(database, { ...asked, fence: lease.fence, set: { candidateOid: "candidate" } });
  }
  return made;
}

async function judging(): Promise<Judging> {
  return begun(await claimed(claimStage(database, judges)));
}

async function begun(lease: Lease): Promise<Judging> {
  return { lease, tip: await tip(lease.loop) };
}

async function allThatMayBegin(judgesAtOnce: number): Promise<Judging[]> {
  const claim = await claimStage(database, claimOf("me", { roles: { judge: judgesAtOnce } }));
  if (!claim.claimed) return [];
  return [await begun(claim.lease), ...(await allThatMayBegin(judgesAtOnce))];
}

async function takenOver({ lease, tip: kept }: Judging): Promise<Judging> {
  const taken = await takeOver(database, lease, { owner: "other", leaseMs: 60_000, deadOwner: lease.owner });
  if (!taken) throw new Error("it is somebody else's");
  return { lease: taken, tip: kept };
}

async function ended(work: Judging, judgedOn: ReadonlyMap<string, string[]>): Promise<void> {
  const tips = judgedOn.get(work.lease.task ?? "");
  if (work.lease.kind === "merge") {
    await merge(work.lease, tips?.at(-1));
    return;
  }
  tips?.push(work.tip);
  await pass(work);
}

async function tip(loop: string): Promise<string> {
  return (await findLoop(database, loop))?.branchOid ?? "";
}

async function pass({ lease: { task, fence }, tip: baseOid }: Judging): Promise<void> {
  const evidence = { rounds: [], redBefore: [], notes: [], opinions: [], trouble: null, held: false };
  const judged = { task: task ?? "", run: null, candidateOid: "candidate", baseOid, evidence, points: [] };
  const asked = { what: "task", id: task ?? "", by: "pass", from: "blocked(awaiting_judge)", fence } as const;
  await database.transaction(async (on) => {
    await addJudgement(on, { ...judged, judgement: "pass" });
    expect((await change(on, asked)).changed).toBe(true);
  });
}

/** As the merger does it: only where the branch is where it was judged. */
async function merge(lease: Lease, judgedOn: string | undefined): Promise<"merged" | "judged again"> {
  const { loop, task, fence } = lease;
  const fromOid = await tip(loop);
  if (fromOid !== judgedOn) {
    await judgeAgain(lease);
    return "judged again";
  }
  const advance = { loop, task: task ?? "", fence, fromOid, toOid: `${fromOid}+` };
  expect(await advanceBranch(database, advance)).toMatchObject({ advanced: true });
  return "merged";
}

async function judgeAgain({ task, fence }: Lease, set: { notBefore?: Date } = {}): Promise<void> {
  const asked = { what: "task", id: task ?? "", by: "rejudge", from: "blocked(awaiting_judge)" } as const;
  expect((await change(database, { ...asked, fence, set })).changed).toBe(true);
}
