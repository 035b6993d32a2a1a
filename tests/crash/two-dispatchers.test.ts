import { Dispatcher, listRuns } from "@opentiger/orchestrator";
import { expect, test } from "vitest";
import { z } from "zod";
import { allRows } from "../../packages/orchestrator/src/state/rows.ts";
import { type LoopWorld, loopWorld, mergedTasks, plannedTask, userRepository } from "../setup/loop-world.ts";
import { quickAgents } from "../setup/quick-agent.ts";
import { type RunningDispatcher, runningDispatcher } from "../setup/running-dispatcher.ts";
import { soak } from "../setup/soak.ts";
import { until } from "../setup/until.ts";

const keys = ["one", "two", "three", "four", "five"];
const timeoutMs = 180_000;
const leaseSeconds = 5;

/** Takes a moment. As a judge it passes everything. */
const agent = `prompt=$(cat)
case $prompt in
"# Write "*) name=\${prompt%%
*}; name=\${name#\\# Write }; sleep 4; echo "$name" > "$name.txt" ;;
*) echo '{"judgement":"pass","summary":"It is as asked for.","points":[]}' ;;
esac`;

/** What a dispatcher makes and has to itself takes longer with sandboxes; who is late is treated in the same way. */
const environments = soak ? (["host", "sandbox"] as const) : (["host"] as const);

test.each(environments)(
  "attack 29 two dispatchers on one loop (%s), one of which sleeps with leases and wakes up late: each task is done once",
  async (environment) => {
    const world = await loopWorld([]);
    await world.place.config.patch(
      { OPENTIGER_AGENT_COMMAND: ["sh", "-c", agent], OPENTIGER_MAX_RUNNING: 2 },
      "test",
    );
    const project = userRepository({ "check.sh": "true\n" });
    const sleeper = runningDispatcher(world.env, ["--lease", String(leaseSeconds)]);
    const loop = await world.start(
      project,
      keys.map((key) => plannedTask(key)),
      { environment, agents: quickAgents, project: { verify: [{ command: "sh check.sh" }] } },
    );
    const held = () => stagesOf(world, sleeper.pid);
    await fallAsleep(world, sleeper);
    // Before there is anybody to take them over.
    const taken = await held();
    const other = Dispatcher.start(world.place, { leaseMs: leaseSeconds * 1_000 });
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

/**
 * Stops it where its agents work, and it has neither a transaction open nor a sandbox in the making: what it had locked
 * would be nobody's before the database gives it up, ten seconds later, and what it makes is its own as long as it is
 * there (two-dispatchers-making.test.ts). At full size no attention is paid to transactions.
 */
async function fallAsleep({ place }: LoopWorld, sleeper: RunningDispatcher): Promise<void> {
  const open =
    "select 1 from pg_stat_activity where application_name = 'opentiger dispatcher' and xact_start is not null";
  const working = `select s.kind, r.exec_id as exec from stages s left join runs r on r.stage_id = s.id
    where s.state = 'claimed' and split_part(s.owner, ':', 4) = $1`;
  const shape = z.object({ kind: z.string(), exec: z.string().nullable() });
  await until(
    "it sleeps",
    async () => {
      sleeper.freeze();
      const stages = await allRows(place.database, shape, working, [String(sleeper.pid)]);
      const atWork = stages.length > 1 && stages.every(({ kind, exec }) => kind === "run" && exec !== null);
      if (atWork && (soak || (await place.database.query(open)).count === 0)) return true;
      sleeper.wake();
      return false;
    },
    timeoutMs,
  );
}

async function stagesOf({ place }: LoopWorld, pid: number): Promise<number[]> {
  const asked = "select id from stages where state = 'claimed' and split_part(owner, ':', 4) = $1";
  const rows = await allRows(place.database, z.object({ id: z.number() }), asked, [String(pid)]);
  return rows.map(({ id }) => id);
}
