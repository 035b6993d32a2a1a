import { test } from "vitest";
import { soak } from "../setup/soak.ts";
import { patienceMs, startKilledLoops, stopKilledLoops, workOff } from "./killed-loops.ts";

const taskCount = 20;
const kills = soak ? 200 : 10;
/** 200 kills must fall into work that goes on: as many loops as it takes. */
const killsALoop = 10;

test(
  `attack 33 ${taskCount} tasks, 4 at once, and ${kills} kills: each is done once, by an agent that was not started again`,
  async () => {
    const loops = await startKilledLoops("sandbox");
    while (loops.kills.length < kills) await workOff(loops, { taskCount, kills: killsALoop });
    await stopKilledLoops(loops);
  },
  patienceMs * Math.ceil(kills / killsALoop),
);
