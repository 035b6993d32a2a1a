import type { AgentOutcome } from "@opentiger/agents";
import { describe, expect, it } from "vitest";
import { usedIn } from "./used.ts";

const said = { input: 100, output: 20, cacheRead: 3, cacheWrite: 0 };

function outcome(more: Partial<Pick<AgentOutcome, "gateway" | "cli">>): AgentOutcome {
  return {
    ok: true,
    resumed: { asked: false },
    session: null,
    lastText: null,
    sessionKept: false,
    answer: undefined,
    denials: [],
    turns: null,
    exit: null,
    events: 0,
    startedAt: "2026-01-01T00:00:00.000Z",
    durationMs: 1,
    gateway: null,
    cli: { tokens: said, usd: 0.5 },
    ...more,
  };
}

const counted = {
  requests: 3,
  refused: 0,
  tokens: { input: 700, output: 10, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0 },
  usd: 2,
  unpriced: 0,
  unpricedModel: null,
  estimated: 0,
  firstAt: null,
  lastAt: null,
};

describe("what a run has used after a question", () => {
  it("is what the gateway counted last, of all that the run asked", () => {
    const before = { tokens: said, usd: 0.5 };
    const tries = [outcome({ gateway: { ...counted, requests: 1 } }), outcome({ gateway: counted })];
    const tokens = { input: 700, output: 10, cacheRead: 0, cacheWrite: 0 };
    expect(usedIn(tries, before)).toEqual({ tokens, usd: 2 });
  });

  it("is what the CLI says of each try, with what there was before, where nothing went through the gateway", () => {
    const none = { ...counted, requests: 0 };
    const first = { tokens: { input: 200, output: 40, cacheRead: 6, cacheWrite: 0 }, usd: 1 };
    expect(usedIn([outcome({}), outcome({ gateway: none })])).toEqual(first);
    const second = usedIn([outcome({ gateway: none })], first);
    expect(second).toEqual({ tokens: { input: 300, output: 60, cacheRead: 9, cacheWrite: 0 }, usd: 1.5 });
  });

  it("is not known where nobody says anything", () => {
    expect(usedIn([], { tokens: said, usd: 1 })).toEqual({});
    expect(usedIn([outcome({ cli: { tokens: null, usd: null } })])).toEqual({});
  });
});
