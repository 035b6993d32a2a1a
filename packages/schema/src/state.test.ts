import { describe, expect, it } from "vitest";
import {
  blockReasons,
  isLoopState,
  isTaskState,
  loopStates,
  loopStatuses,
  pauseReasons,
  runStates,
  runStatuses,
  stateParts,
  taskStates,
  taskStatuses,
} from "./state.ts";

describe("a state", () => {
  const states = [...Object.keys(taskStates), ...Object.keys(loopStates), ...Object.keys(runStates)];

  it.each(states)("%s is a status, and its reason where it has one", (state) => {
    const { status, reason } = stateParts(state);
    expect(reason === null ? status : `${status}(${reason})`).toBe(state);
  });

  it("is every status, with every reason where it has reasons, and nothing else", () => {
    const withReasons = (statuses: readonly string[], which: string, reasons: readonly string[]) =>
      statuses.flatMap((status) =>
        status === which ? reasons.map((reason) => `${status}(${reason})`) : [status],
      );
    const sorted = (names: readonly string[]) => [...names].sort();
    expect(sorted(Object.keys(taskStates))).toEqual(
      sorted(withReasons(taskStatuses, "blocked", blockReasons)),
    );
    expect(sorted(Object.keys(loopStates))).toEqual(
      sorted(withReasons(loopStatuses, "paused", pauseReasons)),
    );
    expect(Object.keys(runStates)).toEqual([...runStatuses]);
  });

  it("says in a sentence who moves it on", () => {
    for (const { owner, sentence } of [taskStates, loopStates, runStates].flatMap((table) =>
      Object.values(table),
    )) {
      expect(owner).toMatch(/^[a-z]+$/);
      expect(sentence).toMatch(/^[A-Z].*\.$/);
    }
  });

  it.each(["blocked", "queued(paused)", "blocked(asked)", "constructor", ""])("%s is none", (name) => {
    expect(isTaskState(name)).toBe(false);
    expect(isLoopState(name)).toBe(false);
  });
});
