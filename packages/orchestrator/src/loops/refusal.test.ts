import { type LoopState, loopStates, type TaskState, taskStates } from "@opentiger/schema";
import { expect, it } from "vitest";
import { loopNotNow, taskNotNow } from "./refusal.ts";

it.each(Object.keys(loopStates) as LoopState[])(
  "what cannot be done to a loop that is %s is refused with a command for it",
  (state) => {
    const { remedy } = loopNotNow({ id: "k3v9x0ab", state }, "moved");
    expect(remedy).toContain(loopStates[state].sentence);
    expect(remedy).toMatch(/opentiger (?:loop \w+(?: -f)? k3v9x0ab|run )/);
  },
);

it.each(Object.keys(taskStates) as TaskState[])(
  "what cannot be done to a task that is %s is refused with a command for it",
  (state) => {
    const { remedy } = taskNotNow({ loop: "k3v9x0ab", number: 3, title: "x", state }, "moved");
    expect(remedy).toMatch(/opentiger (?:task [\w-]+ k3v9x0ab 3|(?:loop|task) \w+ k3v9x0ab)/);
  },
);

it("who cannot edit or pause a task that is worked on is told how to speak to its agent, and to end it", () => {
  const { remedy } = taskNotNow({ loop: "k3v9x0ab", number: 3, title: "x", state: "running" }, "edited");
  expect(remedy).toContain('opentiger task message k3v9x0ab 3 "…"');
  expect(remedy).toContain("opentiger task cancel k3v9x0ab 3");
  expect(remedy).not.toContain("lease");
});
