import { describe, expect, it } from "vitest";
import { allows, type By, statesOf, transitionOf, transitions, type What } from "./transitions.ts";

const ended = ["done", "failed", "cancelled"];
const openTasks = Object.keys(statesOf.task).filter((state) => !ended.includes(state));
const openLoops = Object.keys(statesOf.loop).filter((state) => !ended.includes(state));
const paused = openLoops.filter((state) => state.startsWith("paused"));

/** Written down a second time, so that nothing changes in the table unnoticed. */
const expected: Record<What, Record<string, { from: readonly string[]; to: readonly string[] }>> = {
  task: {
    approve: { from: ["blocked(awaiting_approval)"], to: ["queued"] },
    claim: { from: ["queued", "blocked(needs_rework)", "blocked(quota_wait)"], to: ["running"] },
    submit: { from: ["running"], to: ["blocked(awaiting_judge)"] },
    wait_for_quota: { from: ["running"], to: ["blocked(quota_wait)"] },
    again: { from: ["running"], to: ["queued"] },
    pass: { from: ["blocked(awaiting_judge)"], to: ["blocked(awaiting_judge)"] },
    reject: { from: ["blocked(awaiting_judge)"], to: ["blocked(needs_rework)"] },
    rejudge: { from: ["blocked(awaiting_judge)"], to: ["blocked(awaiting_judge)"] },
    merge: { from: ["blocked(awaiting_judge)"], to: ["done"] },
    give_up: { from: ["running", "blocked(awaiting_judge)"], to: ["failed"] },
    block: {
      from: ["queued", "blocked(needs_rework)", "blocked(quota_wait)"],
      to: ["blocked(dependency_failed)"],
    },
    unblock: { from: ["blocked(dependency_failed)"], to: ["queued"] },
    pause: { from: ["queued", "blocked(needs_rework)", "blocked(quota_wait)"], to: ["blocked(paused)"] },
    resume: { from: ["blocked(paused)"], to: ["queued"] },
    cancel: { from: openTasks, to: ["cancelled"] },
    retry: { from: ["failed", "cancelled"], to: ["queued"] },
    send_back: {
      from: ["blocked(awaiting_judge)", "blocked(needs_rework)", "failed"],
      to: ["blocked(needs_rework)"],
    },
    dispute: { from: ["done"], to: ["queued"] },
  },
  loop: {
    planned: { from: ["planning"], to: ["awaiting_approval", "running"] },
    approve: { from: ["awaiting_approval"], to: ["running"] },
    pause: { from: ["running", "paused(budget)"], to: paused },
    resume: { from: paused, to: ["running"] },
    finish: { from: ["running", "paused(budget)"], to: ["done"] },
    fail: { from: ["planning", "running", "paused(budget)"], to: ["failed"] },
    cancel: { from: openLoops, to: ["cancelled"] },
    reopen: { from: ["done", "failed"], to: ["running"] },
    replan: { from: ["failed"], to: ["planning"] },
  },
  run: {
    succeed: { from: ["running"], to: ["succeeded"] },
    fail: { from: ["running"], to: ["failed"] },
    lose: { from: ["running"], to: ["lost"] },
    cancel: { from: ["running"], to: ["cancelled"] },
  },
};

/** The stages that may be open in a state of a task. */
const openStages: Record<string, readonly string[]> = {
  queued: ["run"],
  running: ["run"],
  "blocked(needs_rework)": ["run"],
  "blocked(quota_wait)": ["run"],
  "blocked(awaiting_judge)": ["judge", "merge"],
};

const whats: readonly What[] = ["task", "loop", "run"];

describe.each(whats)("the table of a %s", (what) => {
  const names = Object.keys(transitions[what]);
  const states = Object.keys(statesOf[what]);

  it("has these transitions and no other", () => {
    expect(names).toEqual(Object.keys(expected[what]));
  });

  it.each(names.flatMap((by) => states.map((state) => [by, state] as const)))(
    "%s from %s is as it was decided",
    (by, state) => {
      const wanted = expected[what][by];
      const { from, to } = transitionOf(what, by);
      expect(from.includes(state)).toBe(wanted?.from.includes(state));
      expect(to.includes(state)).toBe(wanted?.to.includes(state));
    },
  );

  it("leads out of every state that is not final", () => {
    const final = states.filter((state) => names.every((by) => !transitionOf(what, by).from.includes(state)));
    expect(final).toEqual(
      { task: [], loop: ["cancelled"], run: ["succeeded", "failed", "lost", "cancelled"] }[what],
    );
  });

  it("leads into every state", () => {
    const starts = { task: ["queued", "blocked(awaiting_approval)"], loop: ["planning"], run: ["running"] };
    const reached = new Set(starts[what]);
    for (const state of reached) {
      for (const { from, to } of names.map((by) => transitionOf(what, by))) {
        if (from.includes(state)) for (const next of to) reached.add(next);
      }
    }
    expect([...reached].sort()).toEqual([...states].sort());
  });
});

it("a task that somebody has to claim always has a stage, and one that nobody has to never", () => {
  for (const by of Object.keys(transitions.task)) {
    const { to, from, stage } = transitionOf("task", by);
    for (const next of to) {
      const open = openStages[next] ?? [];
      if (stage === "none") expect(open).toEqual([]);
      else if (stage === "same") for (const state of from) expect(openStages[state]).toEqual(open);
      else expect(open).toContain(stage);
    }
  }
});

it("whether something may happen is asked of a state that was read", () => {
  expect(allows("task", "cancel", "running")).toBe(true);
  expect(allows("task", "cancel", "done")).toBe(false);
});

it("what is in no table is an error of the caller", () => {
  // @ts-expect-error it does not compile either
  const unknown: By<"task"> = "constructor";
  expect(() => transitionOf("task", unknown)).toThrow(expect.objectContaining({ code: "internal" }));
});
