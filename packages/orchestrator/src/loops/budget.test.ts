import { type LoopSettings, loopSettings } from "@opentiger/schema";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import {
  beginRun,
  endRun,
  planned,
  plannedLoop,
  type TemporaryLoopPlace,
  temporaryLoopPlace,
} from "../fixture/temporary-loop-place.ts";
import { claimed, claimOf } from "../fixture/temporary-loops.ts";
import { haltOverBudget } from "../recovery/reconcile/budgets.ts";
import { change } from "../state/change.ts";
import { claimStage } from "../state/claims.ts";
import { releaseLease } from "../state/lease.ts";
import { findLoop } from "../state/loops.ts";
import { noteRun, startRun } from "../state/runs.ts";
import { budgetOf, budgetsOf } from "./budget.ts";
import { cancelLoop } from "./cancel-loop.ts";
import { pauseLoop } from "./pause-loop.ts";
import { resumeLoop } from "./resume-loop.ts";
import { retryLoop } from "./retry-loop.ts";
import { startLoop } from "./start-loop.ts";

let place: TemporaryLoopPlace;
const loops: string[] = [];

beforeAll(async () => {
  place = await temporaryLoopPlace();
});

afterAll(() => place.remove());

afterEach(async () => {
  for (const loop of loops.splice(0)) await cancelLoop(place.database, loop).catch(() => {});
  for (const key of Object.keys(place.env)) delete place.env[key];
  // What was used in other tests is not of this day.
  await endYesterday();
});

interface Spent {
  tokens: number;
  usd: number | null;
}

/** A loop with one run that has used this, and another task that waits. */
async function spending(used: Spent, budget?: NonNullable<LoopSettings["budget"]>): Promise<string> {
  // So that the run is this loop's.
  for (const other of loops) await pauseLoop(place.database, other);
  const { loop } = await plannedLoop(
    place,
    [planned("a"), planned("b")],
    budget ? { settings: { budget } } : {},
  );
  const { lease, run } = await beginRun(place);
  const tokens = { input: used.tokens - 3, output: 1, cacheRead: 1, cacheWrite: 1 };
  await noteRun(place.database, lease, run, { tokens, usd: used.usd });
  for (const id of loops) {
    await change(place.database, { what: "loop", id, by: "resume", from: "paused(asked)" });
  }
  loops.push(loop.id);
  return loop.id;
}

async function endYesterday(): Promise<void> {
  await place.database.query(
    `update runs set status = 'lost', started_at = now() - interval '1 day', ended_at = now() - interval '1 day'`,
  );
}

/** A loop that is to be planned. */
async function unplanned(budget?: LoopSettings["budget"]): Promise<string> {
  const loop = await startLoop(place, {
    repository: { path: place.instance.home },
    requirement: "More.",
    source: { kind: "prose" },
    settings: loopSettings.parse(budget ? { budget } : {}),
  });
  loops.push(loop.id);
  return loop.id;
}

const claim = () => {
  const { limits, ...request } = claimOf("me");
  return claimStage(place.database, { ...request, limits: { ...limits, budgets: budgetsOf(place.config) } });
};

it("a loop may use what is left of its own budget and of the day's, whichever is less", async () => {
  const id = await spending({ tokens: 400, usd: 1 }, { tokens: 1_000, usd: null });
  expect(await budgetOf(place, { id })).toEqual({ ok: true, left: { tokens: 600, usd: null } });
  Object.assign(place.env, { OPENTIGER_DAY_TOKENS: "1000", OPENTIGER_DAY_USD: "2.5" });
  const other = await spending({ tokens: 300, usd: null }, { tokens: 10_000, usd: 1 });
  expect(await budgetOf(place, { id })).toEqual({ ok: true, left: { tokens: 300, usd: 1.5 } });
  expect(await budgetOf(place, { id: other })).toEqual({ ok: true, left: { tokens: 300, usd: 1 } });
  expect(await haltOverBudget(place)).toEqual([]);
});

it("a loop that has used its budget gets no more, is paused, and goes on with a larger one only", async () => {
  const id = await spending({ tokens: 1_000, usd: null }, { tokens: 1_000, usd: null });
  const other = await spending({ tokens: 10, usd: null });
  expect(await claim()).toMatchObject({ claimed: true, lease: { loop: other } });
  expect(await claim()).toEqual({ claimed: false, busy: false, overBudget: [id] });
  expect(await haltOverBudget(place)).toEqual([id]);
  const remedy = `Allow it more: \`opentiger loop resume ${id} --budget-tokens 2000\`.`;
  const sentence = "The loop has used 1000 of the 1000 tokens that it may use.";
  expect(await findLoop(place.database, id)).toMatchObject({
    state: "paused(budget)",
    detail: `${sentence} ${remedy}`,
  });
  expect(await haltOverBudget(place)).toEqual([]);
  await expect(resumeLoop(place, id)).rejects.toMatchObject({
    code: "loop_budget_used_up",
    message: sentence,
    remedy,
  });
  // What is not said stays: more dollars are no more tokens.
  const dollars = resumeLoop(place, id, { budget: { usd: 5 } });
  await expect(dollars).rejects.toMatchObject({ code: "loop_budget_used_up", message: sentence });
  const resumed = await resumeLoop(place, id, { budget: { tokens: 2_000 } });
  expect(resumed).toMatchObject({ state: "running", detail: null, settings: { budget: { tokens: 2_000 } } });
  expect(await claim()).toMatchObject({ claimed: true, lease: { loop: id } });
});

it("a loop of which only merging is left needs no budget to go on, for that costs nothing", async () => {
  const settings = { budget: { tokens: 1_000, usd: null } };
  const { loop } = await plannedLoop(place, [planned("a")], { settings });
  loops.push(loop.id);
  const { lease, run } = await beginRun(place);
  const tokens = { input: 1_000, output: 0, cacheRead: 0, cacheWrite: 0 };
  await noteRun(place.database, lease, run, { tokens });
  const { fence, task } = lease;
  await change(place.database, { what: "run", id: run, by: "succeed", from: "running", fence });
  await change(place.database, { what: "task", id: task ?? "", by: "submit", from: "running", fence });
  const pause = { what: "loop", id: loop.id, by: "pause", from: "running" } as const;
  await change(place.database, { ...pause, to: "paused(branch_moved)" });
  await expect(resumeLoop(place, loop.id), "judging costs").rejects.toMatchObject({
    code: "loop_budget_used_up",
  });
  const pass = { what: "task", id: task ?? "", by: "pass", from: "blocked(awaiting_judge)" } as const;
  await change(place.database, pass);
  expect(await resumeLoop(place, loop.id)).toMatchObject({ state: "running" });
  expect(await claim()).toMatchObject({ claimed: true, lease: { loop: loop.id, kind: "merge" } });
});

it("a loop without a budget for its plan has failed and says so, and is planned with a larger one only", async () => {
  const id = await unplanned({ tokens: 1_000, usd: null });
  const lease = await claimed(claim());
  const run = await startRun(place.database, lease, { agent: "codex", role: "planner" });
  const tokens = { input: 1_000, output: 0, cacheRead: 0, cacheWrite: 0 };
  await noteRun(place.database, lease, run?.id ?? "", { tokens });
  // The planner goes on until the gateway says no.
  expect(await haltOverBudget(place)).toEqual([]);
  await change(place.database, { what: "run", id: run?.id ?? "", by: "lose", from: "running" });
  await releaseLease(place.database, lease);
  expect(await claim()).toEqual({ claimed: false, busy: false, overBudget: [id] });
  expect(await haltOverBudget(place)).toEqual([id]);
  const sentence = "The loop has used 1000 of the 1000 tokens that it may use.";
  const remedy = `Allow it more: \`opentiger loop retry ${id} --budget-tokens 2000\`.`;
  expect(await findLoop(place.database, id)).toMatchObject({
    state: "failed",
    detail: `There is no plan. ${sentence} ${remedy}`,
  });
  await expect(retryLoop(place, id)).rejects.toMatchObject({
    code: "loop_budget_used_up",
    message: sentence,
    remedy,
  });
  expect(await retryLoop(place, id, { budget: { tokens: 2_000 } })).toMatchObject({ state: "planning" });
  expect(await claim()).toMatchObject({ claimed: true, lease: { kind: "plan", loop: id } });
});

it("a loop whose tasks have failed is retried within its budget only, or with a larger one", async () => {
  const settings = { budget: { tokens: 1_000, usd: null } };
  const { loop } = await plannedLoop(place, [planned("a")], { settings });
  loops.push(loop.id);
  const begun = await beginRun(place);
  const tokens = { input: 1_000, output: 0, cacheRead: 0, cacheWrite: 0 };
  await noteRun(place.database, begun.lease, begun.run, { tokens });
  await endRun(place, begun, "failed");
  await expect(retryLoop(place, loop.id)).rejects.toMatchObject({
    code: "loop_budget_used_up",
    remedy: expect.stringContaining(`opentiger loop retry ${loop.id} --budget-tokens 2000`),
  });
  expect(await claim()).toMatchObject({ claimed: false });
  expect(await retryLoop(place, loop.id, { budget: { tokens: 2_000 } })).toMatchObject({ state: "running" });
  expect(await claim()).toMatchObject({ claimed: true, lease: { kind: "run", loop: loop.id } });
});

it("a loop that is to be planned when the day's budget is used up does not wait without a word", async () => {
  await spending({ tokens: 1_100, usd: null });
  const id = await unplanned();
  Object.assign(place.env, { OPENTIGER_DAY_TOKENS: "1000" });
  expect(await haltOverBudget(place)).toContain(id);
  expect(await findLoop(place.database, id)).toMatchObject({
    state: "failed",
    detail: expect.stringMatching(/in a day\. .* raise OPENTIGER_DAY_TOKENS\. Then: `opentiger loop retry/),
  });
});

it("dollars count as tokens do, and a budget that nobody said is the one of all loops", async () => {
  const id = await spending({ tokens: 5_000, usd: 2.5 });
  expect(await budgetOf(place, { id })).toMatchObject({ ok: true });
  Object.assign(place.env, { OPENTIGER_LOOP_USD: "2.5" });
  expect(await budgetOf(place, { id })).toMatchObject({
    ok: false,
    scope: "loop",
    sentence: "The loop has used $2.50 of the $2.50 that it may use.",
    remedy: `Allow it more: \`opentiger loop resume ${id} --budget-usd 5\`.`,
  });
  expect(await haltOverBudget(place)).toEqual([id]);
  const others = resumeLoop(place, id, { budget: { tokens: 10_000 } });
  await expect(others, "the dollars of all loops still hold").rejects.toMatchObject({
    code: "loop_budget_used_up",
  });
});

it("when all together have used the day's budget every loop is paused, until the next day", async () => {
  const one = await spending({ tokens: 600, usd: null });
  const other = await spending({ tokens: 500, usd: null });
  Object.assign(place.env, { OPENTIGER_DAY_TOKENS: "1000" });
  expect(await claim()).toMatchObject({ claimed: false, overBudget: [one, other] });
  expect(new Set(await haltOverBudget(place))).toEqual(new Set([one, other]));
  expect((await findLoop(place.database, one))?.detail).toBe(
    `All loops together have used 1100 of the 1000 tokens that they may use in a day. A new day begins at 00:00 UTC; or raise OPENTIGER_DAY_TOKENS. Then: \`opentiger loop resume ${one}\`.`,
  );
  await expect(resumeLoop(place, one)).rejects.toMatchObject({ code: "not_allowed_now" });
  await endYesterday();
  expect(await resumeLoop(place, one)).toMatchObject({ state: "running" });
});

it("what a run has used counts on the day on which it ends, though it began on another", async () => {
  const id = await spending({ tokens: 1_000, usd: null });
  Object.assign(place.env, { OPENTIGER_DAY_TOKENS: "1000" });
  await place.database.query("update runs set started_at = started_at - interval '1 day'");
  expect(await budgetOf(place, { id }), "it goes on").toMatchObject({ ok: false, scope: "day" });
  await place.database.query("update runs set status = 'lost', ended_at = now() where loop_id = $1", [id]);
  expect(await budgetOf(place, { id }), "it has ended").toMatchObject({ ok: false, scope: "day" });
  await endYesterday();
  expect(await budgetOf(place, { id })).toMatchObject({ ok: true });
});
