import { randomInt } from "node:crypto";
import { finish, runCommand, startModelSim } from "@opentiger/model-sim";
import { beforeAll, describe, expect, it } from "vitest";
import { type AgentPlace, placeNames, testedAgents } from "../../setup/agent-place.ts";
import { type AgentWorld, agentWorld } from "../../setup/agent-world.ts";
import { atEnd } from "../../setup/at-end.ts";
import { covering } from "../../setup/covering.ts";
import { docker } from "../../setup/docker.ts";
import { processesOf } from "../../setup/processes-of.ts";
import { containerOf } from "../../setup/sandbox.ts";
import { seldomMs, until } from "../../setup/until.ts";

/** By which processes of these tests are known: nobody else sleeps so long. */
const seconds = randomInt(100_000_000, 1_000_000_000);

/** A child and one in a session of its own; neither can be asked to leave. */
const stubborn = `trap "" TERM INT HUP; while :; do sleep ${seconds}; done`;
const command = `setsid sh -c '${stubborn}' & sh -c '${stubborn}'`;

/** A CLI takes seconds of a whole core to start, and other tests run beside this one. */
const startMs = 120_000;

/** From the call until nothing is alive. */
const mostMs = 2_000;

let world: AgentWorld;

beforeAll(async () => {
  const sim = await startModelSim({ scenario: { steps: [runCommand(command), finish("It never ends.")] } });
  atEnd(() => sim.close());
  world = await agentWorld(sim.url);
});

describe("an agent that is cancelled in the middle of a command", () => {
  it.each(covering(testedAgents, placeNames))(
    "is gone within two seconds, with all that it started: %s, %s",
    { timeout: 2 * startMs },
    async (agent, where) => {
      const place = await world.place(agent, where);
      const before = place.name === "host" ? [] : await processesIn(place, "");
      const run = await place.start(place.project("endless"), { prompt: "Please begin." });
      const alive = async () => (await processesIn(place, run.id)).filter((each) => !before.includes(each));
      await until(
        "both of its children run",
        async () => (await alive()).filter((each) => each.endsWith(` sleep ${seconds}`)).length === 2,
        startMs,
        seldomMs,
      );
      const asked = Date.now();
      await run.cancel("enough");
      expect(Date.now() - asked).toBeLessThan(mostMs);
      expect(await alive()).toEqual([]);
      expect(await run.outcome).toMatchObject({ ok: false, failure: { type: "cancelled" } });
    },
  );
});

/** All of a sandbox; on the host, which has others, those that have the run's id in their environment. */
async function processesIn({ name, sandbox }: AgentPlace, run: string): Promise<string[]> {
  if (name === "host") return processesOf(run).map(({ pid, command }) => `${pid} ${command}`);
  const [, ...lines] = (await docker("top", containerOf(world, sandbox), "-o", "pid,args")).split("\n");
  return lines.map((line) => line.trim());
}
