import { execFileSync } from "node:child_process";
import { Dispatcher, listRuns } from "@opentiger/orchestrator";
import { describe, expect, test } from "vitest";
import { atEnd } from "../setup/at-end.ts";
import { type LoopWorld, loopWorld, mergedTasks, plannedTask, userRepository } from "../setup/loop-world.ts";
import { canHaveOwnEngine, type OwnEngine, ownEngine } from "../setup/own-engine.ts";
import { quickAgents } from "../setup/quick-agent.ts";
import { smallImage } from "../setup/small-image.ts";
import { soak } from "../setup/soak.ts";
import { until } from "../setup/until.ts";
import { leftOf, tidyMs } from "./left-behind.ts";

const image = "small";
const keys = ["one", "two", "three", "four", ...(soak ? ["five", "six"] : [])];
const timeoutMs = 300_000;
const enginesFault = ["lost", "sandbox", "inconclusive"];

/** What git, checks and an agent of the user's need besides. */
const tools =
  "bash git rm ls cp mv find touch head tail wc sort date id mktemp tar sed readlink stat ps basename dirname";

/** Takes its time, so that an engine can go away under it. As a judge it passes everything. */
const slowAgent = `prompt=$(cat)
case $prompt in
"# Write "*) name=\${prompt%%
*}; name=\${name#\\# Write }; sleep 5; echo "$name" > "$name.txt" ;;
*) echo '{"judgement":"pass","summary":"It is as asked for.","points":[]}' ;;
esac`;

describe.skipIf(!canHaveOwnEngine)("an engine that goes away under a running loop", () => {
  test(
    "attack 33 by kill -9, and by a restart that ends all sandboxes: each task is done once, and nothing is left",
    async () => {
      const engine = await ownEngine();
      await smallImage(engine.dockerHost, image, tools);
      const world = await loopWorld([], { DOCKER_HOST: engine.dockerHost });
      const settings = { SANDBOX_DOCKER_IMAGE: image, OPENTIGER_AGENT_COMMAND: ["sh", "-c", slowAgent] };
      await world.place.config.patch({ ...settings, OPENTIGER_MAX_RUNNING: 3 }, "test");
      const project = userRepository({ "check.sh": "true\n" });
      const dispatcher = Dispatcher.start(world.place);
      atEnd(() => dispatcher.stop());
      const loop = await world.start(
        project,
        keys.map((key) => plannedTask(key)),
        { agents: quickAgents, project: { verify: [{ command: "sh check.sh" }] } },
      );

      await agentWorks(world, loop.id);
      engine.kill();
      await engine.start();
      await until("something is done", async () => (await done(world, loop.id)) > 0, timeoutMs);
      await agentWorks(world, loop.id);
      await restart(engine);
      const ended = await world.ended(loop.id, timeoutMs);

      expect(ended).toMatchObject({ state: "done", summary: { done: keys.length, failed: 0 } });
      expect(mergedTasks(project, loop.id)).toEqual(keys.map((_, index) => index + 1));
      const { items: runs } = await listRuns(world.place.database, { loop: loop.id, limit: 500 });
      expect(runs.filter(({ state }) => state === "running")).toEqual([]);
      // Whatever went wrong is the engine's fault: what was under way is lost, what was to be made was not there.
      const failed = runs.filter(({ state }) => state !== "succeeded").map(({ failure }) => failure?.type);
      expect(failed.filter((type) => !enginesFault.includes(type ?? ""))).toEqual([]);
      const left = () => leftOf(world, "sandbox", ended);
      await until("nothing is left", async () => (await left()).length === 0, tidyMs).catch(() => {});
      expect(await left()).toEqual([]);
      // Nobody else uses this engine: there is nothing either that does not say whose it is.
      expect(containers(engine)).toBe("");
    },
    2 * timeoutMs,
  );
});

async function agentWorks({ place }: LoopWorld, loop: string): Promise<void> {
  await until(
    "an agent works",
    async () => {
      const { items } = await listRuns(place.database, { loop, status: "running" });
      return items.some(({ role, execId }) => role === "worker" && execId !== null);
    },
    timeoutMs / 3,
  );
}

async function done(world: LoopWorld, loop: string): Promise<number> {
  return (await world.tasks(loop)).filter(({ state }) => state === "done").length;
}

async function restart(engine: OwnEngine): Promise<void> {
  await engine.stop();
  await engine.start();
}

function containers({ dockerHost }: OwnEngine): string {
  return execFileSync("docker", ["--host", dockerHost, "ps", "--all", "--quiet"], {
    encoding: "utf8",
  }).trim();
}
