import { finish, startModelSim } from "@opentiger/model-sim";
import { expect, test } from "vitest";
import { atEnd } from "../../setup/at-end.ts";
import { runningWorld } from "./running-world.ts";

test("A13: without a login there is a warning with the remedy, and the task fails as that after one run", async () => {
  const sim = await startModelSim({ scenario: { steps: [finish()] } });
  atEnd(() => sim.close());
  const world = await runningWorld(sim.url, { keys: {} });
  await world.loop([{ title: "Do something" }]);
  const task = await world.next();
  expect(task.state).toBe("failed");
  expect(task.detail).toContain("Authentication required.");
  expect(task.detail).toContain("claude setup-token");
  expect(await world.runs(task)).toMatchObject([{ state: "failed", failure: { type: "auth" } }]);
  expect(world.lines.find((line) => line.startsWith("warning: "))).toContain("claude setup-token");
  expect(sim.requests).toEqual([]);
});
