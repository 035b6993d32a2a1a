import { describe, expect, it } from "vitest";
import { sandboxStatus } from "./sandbox.ts";
import { judgementWords, loopStates, runStates, taskStates } from "./state.ts";
import { type Tone, toneOf, tones } from "./tone.ts";

const all = [
  ...Object.keys(taskStates),
  ...Object.keys(loopStates),
  ...Object.keys(runStates),
  ...sandboxStatus.options,
  ...judgementWords,
];

describe("the tone of a state", () => {
  it("is one of six, and every state has the one that its page, its list and its line in a terminal show", () => {
    const byTone = Object.fromEntries(tones.map((tone): [Tone, string[]] => [tone, []]));
    for (const state of new Set(all)) byTone[toneOf(state)]?.push(state);
    expect(byTone).toEqual({
      queued: ["queued"],
      running: ["running", "planning", "creating"],
      blocked: [
        "blocked(awaiting_judge)",
        "blocked(quota_wait)",
        "blocked(needs_rework)",
        "blocked(awaiting_approval)",
        "blocked(dependency_failed)",
        "blocked(paused)",
        "awaiting_approval",
        "paused(asked)",
        "paused(budget)",
        "paused(branch_moved)",
        "paused",
        "inconclusive",
      ],
      done: ["done", "succeeded", "pass"],
      failed: ["failed", "lost", "broken", "fail"],
      cancelled: ["cancelled", "stopped"],
    });
  });

  it.each(["constructor", "", "never heard of"])("%j, which is no state, has the quietest", (name) => {
    expect(toneOf(name)).toBe("queued");
  });
});
