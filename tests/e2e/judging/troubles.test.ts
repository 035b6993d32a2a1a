import { answer, type ScenarioInput, think } from "@opentiger/model-sim";
import { beforeAll, describe, expect, it } from "vitest";
import { judgeStage } from "../../../packages/orchestrator/src/judging/judge-stage.ts";
import { LeaseLost } from "../../../packages/orchestrator/src/stage/lease-lost.ts";
import { listJudgements } from "../../../packages/orchestrator/src/state/judgements.ts";
import { takeOver } from "../../../packages/orchestrator/src/state/lease.ts";
import { openStage } from "../../../packages/orchestrator/src/state/stages.ts";
import { docker } from "../../setup/docker.ts";
import { type JudgeWorld, passing } from "../../setup/judge-world.ts";
import { containerOf } from "../../setup/sandbox.ts";
import { seldomMs, until } from "../../setup/until.ts";
import { begin, never, openCourt, sandboxesOf, worker } from "./court.ts";

let court: JudgeWorld;

beforeAll(async () => {
  court = await openCourt();
});

describe("a judgement that cannot be made", () => {
  it("because a check takes too long is inconclusive, is tried again, and then the task has failed", async () => {
    const loop = await begin(court, [worker("Hang")], { environment: "sandbox" });
    await court.world.place.config.patch({ OPENTIGER_VERIFY_TIMEOUT: "3s" }, "test");
    await loop.submit(1, {
      "src/add.js": "await new Promise((resolve) => setTimeout(resolve, 1e8));\nexport const add = 1;\n",
    });
    const states: string[] = [];
    while ((await loop.task(1)).state === "blocked(awaiting_judge)" && states.length < 10) {
      const judged = await court.judge(loop, 1);
      expect(judged).toMatchObject({
        judgement: "inconclusive",
        evidence: { trouble: expect.stringMatching(/longer/) },
      });
      states.push((await loop.task(1)).state);
    }
    expect(states).toEqual(["blocked(awaiting_judge)", "blocked(awaiting_judge)", "failed"]);
    expect((await loop.task(1)).detail).toMatch(/longer than it may/);
    await court.world.place.config.patch({ OPENTIGER_VERIFY_TIMEOUT: null }, "test");
  });

  it("because its sandbox is lost is made again in a new one, and is inconclusive where that is lost too", async () => {
    const loop = await begin(court, [worker("Lose")], { environment: "sandbox" });
    await loop.submit(1, {
      "src/add.js": "await new Promise((resolve) => setTimeout(resolve, 1e8));\nexport const add = 1;\n",
    });
    const judging = court.judge(loop, 1);
    const lost = new Set<string>();
    for (let round = 1; round <= 2; round++) {
      const name = `loop-${loop.id}-codex-1-judge-checks`;
      const id = await until("a check runs", () => runningCheck(name, lost), 60_000, seldomMs);
      lost.add(id);
      await (await court.world.place.backend("sandbox")).remove(name, { force: true });
    }
    expect(await judging).toMatchObject({
      judgement: "inconclusive",
      evidence: { trouble: expect.any(String) },
    });
    expect((await loop.task(1)).state).toBe("blocked(awaiting_judge)");
    expect((await openStage(court.world.place.database, (await loop.task(1)).id))?.kind).toBe("judge");
  });

  it("where a project has no checks at all is the model's alone, and says so", async () => {
    const loop = await begin(court, [worker("Write")], {
      files: { "opentiger.json": JSON.stringify({ verify: [] }) },
    });
    await loop.submit(1, { "docs/a.md": "A.\n" });
    const judged = await court.judge(loop, 1);
    expect(judged).toMatchObject({
      judgement: "pass",
      evidence: { rounds: [], opinions: [{ judgement: "pass" }] },
    });
    expect(judged?.evidence.notes).toContainEqual(expect.stringMatching(/no checks/));
  });
});

describe("a judge whose process ends", () => {
  it("is gone on with by the next one: the same conversation, no check twice, one judgement", async () => {
    const loop = await begin(court, [worker("Slow")], { environment: "sandbox" });
    // Longer than a busy machine takes from its request to the end of the process that waits for it.
    const slow: ScenarioInput = { steps: [think(10_000), answer(passing)] };
    court.answerWith(() => slow);
    await loop.submit(1, { "src/slow.js": "export const slow = true;\n" });
    const before = court.asked.length;
    const sessions = court.world.sim.sessions().length;
    const stop = new AbortController();
    const lease = await loop.claim(1, "first");
    const first = judgeStage(court.world.place, lease, stop.signal);
    await until("the model was asked", () => court.asked.length > before);
    stop.abort(new LeaseLost(lease.stage));
    await expect(first).rejects.toBeInstanceOf(LeaseLost);
    expect(await sandboxesOf(court, loop), "the next one finds it").toHaveLength(1);
    const next = await takeOver(court.world.place.database, lease, {
      owner: "second",
      leaseMs: 60_000,
      deadOwner: "first",
    });
    if (!next) throw new Error("nobody can take it over");
    await judgeStage(court.world.place, next, never);
    const { items } = await listJudgements(court.world.place.database, { task: (await loop.task(1)).id });
    expect(items.map(({ judgement }) => judgement)).toEqual(["pass"]);
    expect(court.world.sim.sessions().length - sessions).toBe(1);
    await expect(judgeStage(court.world.place, lease, never)).rejects.toThrow();
    expect(
      (await listJudgements(court.world.place.database, { task: (await loop.task(1)).id })).items,
    ).toHaveLength(1);
    court.answerWith(() => passing);
  });
});

/** The id of the sandbox of this name, once a test runs in it; asked of the engine, since a session of ours would be in the way. */
async function runningCheck(name: string, lost: ReadonlySet<string>): Promise<string | undefined> {
  const backend = await court.world.place.backend("sandbox");
  const found = (await backend.list()).find((each) => each.name === name && !lost.has(each.id));
  if (found?.status !== "running") return undefined;
  const processes = await docker("top", containerOf(court.world, found)).catch(() => "");
  return processes.includes("node --test") ? found.id : undefined;
}
