import type { LoopRow } from "@opentiger/orchestrator";
import { type LoopState, loopSettings, loopStates } from "@opentiger/schema";
import { describe, expect, it } from "vitest";
import { exitOf, nextSteps, standsStill } from "./end.ts";

const loop: LoopRow = {
  id: "k3v9x0ab",
  repository: "r",
  requirement: "It should work.",
  source: { kind: "prose" },
  settings: loopSettings.parse({}),
  state: "done",
  detail: null,
  fence: 1,
  baseOid: "a".repeat(40),
  branch: "tiger/k3v9x0ab",
  branchOid: "b".repeat(40),
  projectedOid: null,
  plan: null,
  planVersion: null,
  summary: null,
  createdAt: new Date(),
  updatedAt: new Date(),
  endedAt: null,
};

describe("where a loop stands still", () => {
  // The table has no other keys.
  const states = Object.keys(loopStates) as LoopState[];

  it.each(states.filter(standsStill))("%s has a status of its own and says what can be done", (state) => {
    const steps = nextSteps({ ...loop, state });
    expect(steps.length).toBeGreaterThan(0);
    for (const step of steps) expect(step).toMatch(/^opentiger loop \w+ (-f )?k3v9x0ab$/);
  });

  it("done alone is a success; failed, cancelled, waiting and paused are told apart", () => {
    const exits = { done: 0, failed: 1, cancelled: 2, awaiting_approval: 3, "paused(asked)": 4 } as const;
    for (const [state, exit] of Object.entries(exits))
      expect(exitOf({ ...loop, state: state as LoopState }), state).toBe(exit); // One of the keys above.
  });

  it("a plan is all that a dry run wants", () => {
    const settings = { ...loop.settings, dryRun: true };
    expect(exitOf({ ...loop, settings, state: "awaiting_approval" })).toBe(0);
  });

  it("a plan is offered to be approved as the one that was shown, and no other", () => {
    const steps = nextSteps({ ...loop, state: "awaiting_approval", planVersion: "0f3a9c51be77" });
    expect(steps).toContain("opentiger loop approve k3v9x0ab --plan 0f3a9c51be77");
  });

  it("one that was discarded is not offered to be tried again", () => {
    const steps = nextSteps({ ...loop, state: "failed", branch: null });
    expect(steps).toEqual(["opentiger loop show k3v9x0ab"]);
  });

  it("nothing is offered to be merged where there is no commit", () => {
    expect(nextSteps({ ...loop, branchOid: loop.baseOid })).toEqual([]);
  });
});
