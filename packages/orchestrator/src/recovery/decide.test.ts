import { type TaskFailureType, taskFailureTypes } from "@opentiger/schema";
import { describe, expect, it } from "vitest";
import { type Decision, decideNext, type Situation } from "./decide.ts";
import { taskFailureRules } from "./task-failures.ts";

const now = new Date("2026-01-01T00:00:00Z");

function situation(type: TaskFailureType, more: Partial<Situation> = {}): Situation {
  return {
    stage: "run",
    failure: { type, until: null },
    tries: {},
    runs: 1,
    agent: "claude_code",
    fallback: null,
    limits: { OPENTIGER_REWORKS: 3, OPENTIGER_TEST_DISPUTES: 2, runs: 1_000, quotaWaitMs: 7 * 86_400_000 },
    now,
    ...more,
  };
}

/** Fails in the same way until it is given up, or until it has gone on for long enough to be said to go on forever. */
function failingForever(first: Situation): Decision[] {
  const decisions: Decision[] = [];
  for (let next = first; decisions.length < 200; ) {
    const decision = decideNext(next);
    decisions.push(decision);
    if (decision.next.by === "give_up") return decisions;
    const agent = "agent" in decision.next ? decision.next.agent : null;
    next = { ...next, tries: decision.tries, runs: next.runs + 1, agent: agent ?? next.agent };
  }
  return decisions;
}

/** How many runs or judgements follow the first failure, if nothing else ever happens. */
const followers: Record<TaskFailureType, number> = {
  auth: 0,
  quota: 20,
  overloaded: 5,
  network: 5,
  policy: 0,
  budget: 200,
  context: 0,
  refusal: 0,
  max_turns: 2,
  tool_loop: 1,
  idle: 2,
  timeout: 1,
  crash: 2,
  lost: 3,
  removed: 3,
  cancelled: 0,
  denied: 0,
  malformed: 2,
  unknown: 1,
  sandbox: 3,
  setup: 1,
  no_change: 1,
  rules: 2,
  verify: 3,
  judge: 3,
  inconclusive: 2,
  conflict: 1,
  dispute: 2,
};

describe("the same failure again and again", () => {
  it.each(taskFailureTypes.filter((type) => type !== "budget"))(
    "of type %s is given up after its limit, in each stage",
    (type) => {
      for (const stage of ["run", "judge", "merge"] as const) {
        const decisions = failingForever(situation(type, { stage }));
        expect(decisions).toHaveLength(followers[type] + 1);
        expect(decisions.at(-1)?.next).toMatchObject({ by: "give_up" });
      }
    },
  );

  // For a quota there is a limit of its own, and for a budget a person each time.
  const counting = taskFailureTypes.filter((type) => type !== "quota" && type !== "budget");

  it.each(counting)("of type %s never has more runs than a task may have", (type) => {
    const limits = { ...situation(type).limits, runs: 3 };
    const decisions = failingForever(situation(type, { limits }));
    const runs = 1 + decisions.filter(({ next }) => next.by !== "give_up" && next.by !== "rejudge").length;
    expect(runs).toBeLessThanOrEqual(3);
    expect(runs).toBe(Math.min(3, followers[type] + 1));
  });

  it("is handed to the other agent where one is configured, who begins anew and has as many tries", () => {
    const decisions = failingForever(situation("verify", { fallback: "codex" }));
    expect(decisions.map(({ next }) => next)).toEqual([
      ...Array.from({ length: 3 }, () => ({
        by: "again",
        at: null,
        resume: true,
        agent: null,
        pauseLoop: false,
      })),
      { by: "again", at: null, resume: false, agent: "codex", pauseLoop: false },
      ...Array.from({ length: 3 }, () => expect.objectContaining({ by: "again", agent: null })),
      { by: "give_up", why: "It was tried 3 times more, in vain." },
    ]);
  });

  it.each(taskFailureTypes.filter((type) => !taskFailureRules[type].otherAgent && type !== "budget"))(
    "of type %s is not handed to another agent, whom it would meet too",
    (type) => {
      const decisions = failingForever(situation(type, { fallback: "codex" }));
      expect(decisions.every(({ next }) => !("agent" in next) || next.agent === null)).toBe(true);
    },
  );
});

describe("a failure", () => {
  it("that needs somebody to mend something ends the task at once", () => {
    for (const type of ["auth", "policy", "denied", "cancelled"] as const)
      expect(decideNext(situation(type)).next).toEqual({ by: "give_up", why: null });
  });

  it("of the budget pauses the loop, and the task goes on where it was", () => {
    const again = { by: "again", at: null, resume: true, agent: null, pauseLoop: true };
    expect(decideNext(situation("budget")).next).toEqual(again);
    const judged = decideNext(situation("budget", { stage: "judge" }));
    expect(judged.next).toEqual({ by: "rejudge", at: null, pauseLoop: true });
  });

  it("of the quota waits until its reset, where that is told", () => {
    const failure = { type: "quota", until: "2026-01-01T05:00:00Z" } as const;
    const { next } = decideNext(situation("quota", { failure }));
    expect(next).toEqual({ by: "wait_for_quota", at: new Date("2026-01-01T05:00:05Z") });
  });

  it.each([
    ["no reset is told", null],
    ["the reset is over, and the quota is not there all the same", "2025-12-31T00:00:00Z"],
    ["it is told to be back at once", now.toISOString()],
    ["what is told is no time", "soon"],
  ])("of the quota waits longer each time, where %s", (_where, until) => {
    const failure = { type: "quota", until } as const;
    const waits = failingForever(situation("quota", { failure })).flatMap(({ next }) =>
      next.by === "wait_for_quota" ? [(next.at.getTime() - now.getTime()) / 60_000] : [],
    );
    expect(waits.slice(0, 5)).toEqual([5, 10, 20, 40, 60]);
  });

  it("of a quota that is back too late is given up, and says when it is back", () => {
    const failure = { type: "quota", until: "2026-02-01T00:00:00Z" } as const;
    expect(decideNext(situation("quota", { failure })).next).toMatchObject({
      by: "give_up",
      why: expect.stringContaining("2026-02-01"),
    });
  });

  it("of an overloaded API is tried again after a pause that grows", () => {
    const pauses = failingForever(situation("overloaded")).flatMap(({ next }) =>
      next.by === "again" && next.at ? [(next.at.getTime() - now.getTime()) / 1_000] : [],
    );
    expect(pauses).toEqual([15, 30, 60, 120, 240]);
  });

  it("that the judge found sends the task back, one of the judging has it judged again", () => {
    expect(decideNext(situation("judge", { stage: "judge" })).next).toEqual({ by: "reject", agent: null });
    expect(decideNext(situation("conflict", { stage: "merge" })).next).toEqual({ by: "reject", agent: null });
    expect(decideNext(situation("inconclusive", { stage: "judge" })).next).toMatchObject({ by: "rejudge" });
    expect(decideNext(situation("lost", { stage: "judge" })).next).toMatchObject({ by: "rejudge", at: null });
  });

  it("of the judge's own agent takes nothing from the tries of the task's", () => {
    const { tries } = decideNext(situation("crash", { stage: "judge", tries: { crash: 2 } }));
    expect(tries).toEqual({ crash: 2, "judge:crash": 1 });
  });
});
