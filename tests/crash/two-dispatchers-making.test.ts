import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Dispatcher, listRuns } from "@opentiger/orchestrator";
import { expect, test } from "vitest";
import { loopWorld, mergedTasks, plannedTask, userRepository } from "../setup/loop-world.ts";
import { quickAgent, quickAgents } from "../setup/quick-agent.ts";
import { runningDispatcher } from "../setup/running-dispatcher.ts";
import { soak } from "../setup/soak.ts";
import { temporaryFolder } from "../setup/temporary-workspace.ts";
import { until } from "../setup/until.ts";

/** Of the one that falls asleep; the other one has the usual one, so that a busy machine does not take its work away. */
const leaseSeconds = 2;
const world = await loopWorld([]);
await world.place.config.patch({ OPENTIGER_AGENT_COMMAND: quickAgent }, "test");

test.each(soak ? (["wakes up", "is killed"] as const) : (["wakes up"] as const))(
  "attack 29 a dispatcher falls asleep while it makes a task's sandbox: another one waits until it %s, and the task is done once",
  async (afterwards) => {
    const project = userRepository({ "check.sh": "true\n" });
    const { place } = world;
    const planning = Dispatcher.start(place, { roles: ["planner"] });
    const loop = await world.start(project, [plannedTask("one")], {
      environment: "host",
      agents: quickAgents,
      project: { verify: [{ command: "sh check.sh" }] },
    });
    await until("there are tasks", async () => (await world.tasks(loop.id)).length > 0);
    await planning.stop();
    const slow = slowClones();
    const sleeper = runningDispatcher({ ...world.env, PATH: slow.path }, ["--lease", String(leaseSeconds)]);
    await until("it makes the sandbox", slow.isCloning);
    const open =
      "select 1 from pg_stat_activity where application_name = 'opentiger dispatcher' and xact_start is not null";
    await until("it sleeps, outside of any transaction", async () => {
      sleeper.freeze();
      if ((await place.database.query(open)).count === 0) return true;
      sleeper.wake();
      return false;
    });
    slow.goOn();

    const said: string[] = [];
    const other = Dispatcher.start({ ...place, log: (line) => void said.push(line) });
    await until("the other one waits for it", () =>
      said.some((line) => line.includes("is still being made")),
    );
    const waiting = await listRuns(place.database, { loop: loop.id, limit: 10 });
    if (afterwards === "wakes up") sleeper.wake();
    else await sleeper.kill();
    const ended = await world.ended(loop.id);
    await until("nothing is left", () =>
      ["host", "clones"].every((part) => readdirSync(join(world.home, part)).length === 0),
    );
    await sleeper.stop();
    await other.stop();

    expect(waiting.items.map(({ state }) => state)).toEqual(["running"]);
    expect(ended).toMatchObject({ state: "done", summary: { done: 1, failed: 0 } });
    expect(mergedTasks(project, loop.id)).toEqual([1]);
    const { items } = await listRuns(place.database, { loop: loop.id, limit: 10 });
    const ends = items.map(({ role, state, failure }) => `${role} ${failure?.message ?? state}`);
    expect(ends.toSorted()).toEqual(["judge succeeded", "worker succeeded"]);
  },
  180_000,
);

/** A PATH on which git does not give a repository out to a new clone before it is told to go on. */
function slowClones() {
  const folder = temporaryFolder("opentiger-slow-git-");
  const [held, cloning] = [join(folder, "held"), join(folder, "cloning")];
  const usual = process.env["PATH"] ?? "";
  const script = `#!/bin/sh
case "$*" in *" pack-objects --revs --include-tag "*) touch '${cloning}'; while [ -e '${held}' ]; do sleep 0.02; done ;; esac
PATH='${usual}' exec git "$@"
`;
  writeFileSync(held, "");
  writeFileSync(join(folder, "git"), script, { mode: 0o755 });
  return {
    path: `${folder}:${usual}`,
    isCloning: () => existsSync(cloning),
    goOn: () => rmSync(held),
  };
}
