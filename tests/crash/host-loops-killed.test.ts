import { test } from "vitest";
import { soak } from "../setup/soak.ts";
import { patienceMs, startKilledLoops, stopKilledLoops, workOff } from "./killed-loops.ts";

const taskCount = soak ? 20 : 10;
const kills = soak ? 50 : 5;
/** Each of the victims, or each of them twice. */
const killsALoop = soak ? 10 : 5;

test(
  `attack 33 ${taskCount} tasks on the host and ${kills} kills, a worker's among them: each is done once, by an agent that was not started again`,
  async () => {
    const loops = await startKilledLoops("host", ["worker-1"]);
    while (loops.kills.length < kills) await workOff(loops, { taskCount, kills: killsALoop });
    await stopKilledLoops(loops);
  },
  patienceMs * Math.ceil(kills / killsALoop),
);
