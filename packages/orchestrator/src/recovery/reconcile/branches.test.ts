import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { git, TemporaryJudgedLoop } from "../../fixture/temporary-judged-loop.ts";
import { newLoop, newTask } from "../../fixture/temporary-loops.ts";
import { type TemporaryPlace, temporaryPlace } from "../../fixture/temporary-place.ts";
import { cancelLoop } from "../../loops/cancel-loop.ts";
import { change } from "../../state/change.ts";
import { clean } from "./clean.ts";
import { reconcile } from "./reconcile.ts";

let place: TemporaryPlace;
let loop: TemporaryJudgedLoop;

beforeAll(async () => {
  place = await temporaryPlace();
});

beforeEach(async () => {
  await place.database.query("truncate loops, repositories cascade");
  place.lines.length = 0;
  const tasks = [newTask("a"), newTask("b")];
  loop = await TemporaryJudgedLoop.begin(place, { files: { "a/x": "1\n" }, tasks });
});

afterEach(() => loop.remove());
afterAll(() => place.remove());

it("a branch that a killed merger did not show is shown, and shown on, by several at once", async () => {
  const first = await advance("2\n");
  await Promise.all([reconcile(place), reconcile(place)]);
  expect(await loop.shown()).toHaveLength(1);
  expect((await loop.row()).projectedOid).toBe(first);
  await advance("3\n");
  await reconcile(place);
  expect(await loop.shown()).toHaveLength(2);
  expect(place.lines).toEqual([]);
});

it.each(["running", "paused(budget)"] as const)(
  "a branch that somebody else moved is left as it is, and the loop that was %s stops and says so",
  async (state) => {
    await advance("2\n");
    await reconcile(place);
    const { branch, baseOid } = await loop.row();
    const foreign = loop.commit(baseOid ?? "", { "a/x": "mine\n" });
    git(loop.user, "fetch", "--quiet", loop.repository.path, foreign);
    git(loop.user, "update-ref", `refs/heads/${branch}`, foreign);
    await advance("3\n");
    if (state === "paused(budget)")
      await change(place.database, { what: "loop", id: loop.id, by: "pause", from: "running", to: state });
    await reconcile(place);
    await reconcile(place);
    expect(await loop.row()).toMatchObject({
      state: "paused(branch_moved)",
      detail: expect.stringContaining(foreign),
    });
    expect(git(loop.user, "rev-parse", `refs/heads/${branch}`)).toBe(foreign);
  },
);

it("a branch that somebody has checked out waits, and says so once", async () => {
  const first = await advance("2\n");
  await reconcile(place);
  git(loop.user, "checkout", "--quiet", (await loop.row()).branch ?? "");
  const second = await advance("3\n");
  await reconcile(place);
  await reconcile(place);
  expect(await loop.row()).toMatchObject({ state: "running", projectedOid: first });
  const { rows } = await place.database.query("select 1 from events where type = 'loop.unprojected'");
  expect(rows).toHaveLength(1);
  git(loop.user, "checkout", "--quiet", "main");
  await reconcile(place);
  expect(await loop.row()).toMatchObject({ projectedOid: second });
});

it("a loop that has ended says why its branch is not shown, until it is", async () => {
  await advance("2\n");
  await reconcile(place);
  const branch = (await loop.row()).branch ?? "";
  git(loop.user, "checkout", "--quiet", branch);
  const second = await advance("3\n");
  await place.database.query("update tasks set status = 'failed', detail = 'Red.' where loop_id = $1", [
    loop.id,
  ]);
  await place.database.query("update stages set state = 'ended' where loop_id = $1", [loop.id]);
  for (let time = 0; time < 3; time++) await reconcile(place);
  expect(await loop.row()).toMatchObject({
    state: "failed",
    detail: expect.stringMatching(new RegExp(`failed: Red\\..*${branch} is checked out in ${loop.user},`)),
  });
  expect(await unprojected()).toBe(1);
  git(loop.user, "checkout", "--quiet", "main");
  await reconcile(place);
  const after = await loop.row();
  expect(after).toMatchObject({ projectedOid: second, detail: expect.stringContaining("failed: Red.") });
  expect(after.detail).not.toContain("checked out");
});

it("a branch that cannot be made, since another has its folder's name, is told once and made later", async () => {
  git(loop.user, "branch", "tiger");
  const first = await advance("2\n");
  for (let time = 0; time < 3; time++) await reconcile(place);
  expect((await loop.row()).detail).toContain("'refs/heads/tiger' exists");
  expect(await unprojected()).toBe(1);
  git(loop.user, "branch", "-D", "tiger");
  await reconcile(place);
  expect(await loop.row()).toMatchObject({ projectedOid: first, detail: null });
});

it("pins of what is on the branch go when the loop is over; base and branch stay for who takes them", async () => {
  const merged = await advance("2\n");
  await loop.repository.pin(loop.id, "task-1/candidate", merged);
  await loop.repository.pin(loop.id, "task-2/candidate", merged);
  await place.database.query("update tasks set status = 'done', merged_oid = $1 where number = 1", [merged]);
  await place.database.query("update tasks set status = 'failed' where number = 2");
  await reconcile(place);
  expect((await loop.row()).state).toBe("failed");
  await clean(place);
  const names = [...(await loop.repository.pins(loop.id)).keys()].filter((name) => !name.startsWith("made/"));
  expect(names.toSorted()).toEqual(["base", "branch", "task-2/candidate"]);
});

it("a loop whose repository is broken keeps the pins of no other one", async () => {
  const { loop: broken } = await newLoop(place.database, [newTask("a")]);
  await cancelLoop(place.database, broken.id);
  // So that the one whose repository is nowhere is looked at first.
  await place.database.query("update loops set ordinal = default where id = $1", [loop.id]);
  const merged = await advance("2\n");
  await loop.repository.pin(loop.id, "task-1/candidate", merged);
  await place.database.query("update tasks set status = 'done', merged_oid = $1 where loop_id = $2", [
    merged,
    loop.id,
  ]);
  await place.database.query("update stages set state = 'ended' where loop_id = $1", [loop.id]);
  await reconcile(place);
  expect((await loop.row()).state).toBe("done");
  await clean(place);
  expect([...(await loop.repository.pins(loop.id)).keys()]).not.toContain("task-1/candidate");
});

async function unprojected(): Promise<number> {
  const { rows } = await place.database.query("select 1 from events where type = 'loop.unprojected'");
  return rows.length;
}

/** As a merger does that is killed right after the row was changed. */
async function advance(content: string): Promise<string> {
  const { branchOid } = await loop.row();
  const oid = loop.commit(branchOid ?? "", { "a/x": content });
  await place.database.query("update loops set branch_oid = $2 where id = $1", [loop.id, oid]);
  return oid;
}
