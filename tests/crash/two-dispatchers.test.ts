import { Dispatcher, listRuns } from "@opentiger/orchestrator";
import { expect, test } from "vitest";
import { z } from "zod";
import { allRows } from "../../packages/orchestrator/src/state/rows.ts";
import { type LoopWorld, loopWorld, mergedTasks, plannedTask, userRepository } from "../setup/loop-world.ts";
import { quickAgents } from "../setup/quick-agent.ts";
import { runningDispatcher } from "../setup/running-dispatcher.ts";
import { until } from "../setup/until.ts";

const keys = ["one", "two", "three", "four", "five"];
const timeoutMs = 180_000;
const leaseSeconds = 5;

/** Takes a moment. As a judge it passes everything. */
const agent = `prompt=$(cat)
case $prompt in
"# Write "*) name=\${prompt%%
*}; name=\${name#\\# Write }; sleep 1; echo "$name" > "$name.txt" ;;
*) echo '{"judgement":"pass","summary":"It is as asked for.","points":[]}' ;;
esac`;

test(
  "two dispatchers on one loop, one of which sleeps with leases and wakes up late: each task is done once",
  async () => {
    const world = await loopWorld([]);
    await world.place.config.patch({ OPENTIGER_AGENT_COMMAND: ["sh", "-c", agent] }, "test");
    const project = userRepository({ "check.sh": "true\n" });
    const sleeper = runningDispatcher(world.env, ["--lease", String(leaseSeconds)]);
    const loop = await world.start(
      project,
      keys.map((key) => plannedTask(key)),
      { environment: "host", agents: quickAgents, project: { verify: [{ command: "sh check.sh" }] } },
    );
    const held = () => stagesOf(world, sleeper.pid);
    await until("it works on several", async () => (await held()).length > 1, timeoutMs);
    const other = Dispatcher.start(world.place, { leaseMs: leaseSeconds * 1_000 });
    sleeper.freeze();
    const taken = await held();
    const ended = await world.ended(loop.id, timeoutMs);
    sleeper.wake();
    await until("it has heard of it", async () => (await held()).length === 0, timeoutMs);
    await sleeper.stop();
    await other.stop();

    expect(taken.length, "it slept with leases").toBeGreaterThan(0);
    expect(ended).toMatchObject({ state: "done", summary: { done: keys.length, failed: 0 } });
    expect(mergedTasks(project, loop.id)).toEqual(keys.map((_, index) => index + 1));
    const { items: runs } = await listRuns(world.place.database, { loop: loop.id, limit: 500 });
    const workers = runs.filter(({ role }) => role === "worker");
    // Whoever took over adopted the agents that had gone on meanwhile.
    expect(workers.map(({ state }) => state)).toEqual(keys.map(() => "succeeded"));
    const now = await world.ended(loop.id);
    const { branchOid, projectedOid, state } = now;
    expect({ branchOid, projectedOid, state }).toEqual({
      branchOid: ended.branchOid,
      projectedOid: ended.branchOid,
      state: "done",
    });
  },
  2 * timeoutMs,
);

async function stagesOf({ place }: LoopWorld, pid: number): Promise<number[]> {
  const asked = "select id from stages where state = 'claimed' and split_part(owner, ':', 3) = $1";
  const rows = await allRows(place.database, z.object({ id: z.number() }), asked, [String(pid)]);
  return rows.map(({ id }) => id);
}
