import { failureTypes } from "@opentiger/schema";
import { describe, expect, it } from "vitest";
import type { AgentEnding, AgentError } from "../driver.ts";
import type { GatewayRecord } from "../run/gateway.ts";
import { classify, type Evidence } from "./classify.ts";
import { failureRules, retryMeanings } from "./failures.ts";

const done = { code: 0, signal: null, reason: "exited" } as const;
const failed = { code: 1, signal: null, reason: "exited" } as const;
const killed = { code: null, signal: "SIGKILL", reason: "exited" } as const;

describe("a run", () => {
  it("whose CLI said its last word, without an error and with status 0, is a success", () => {
    expect(classify(evidence())).toBeUndefined();
  });

  it("that was cancelled is that, whatever else is true of it", () => {
    const all = evidence({
      stop: { type: "cancelled", message: "by the user" },
      exit: { code: null, signal: "SIGTERM", reason: "killed" },
      requests: [answered(529)],
      ...ended({ error: error({ type: "max_turns" }), complete: false }),
    });
    expect(classify(all)).toMatchObject({ type: "cancelled", message: "The run was cancelled: by the user" });
  });

  it.each(["idle", "tool_loop", "timeout", "max_turns"] as const)(
    "that we ended because of %s is that",
    (type) => {
      expect(classify(evidence({ stop: { type, message: "so" }, exit: killed }))?.type).toBe(type);
    },
  );

  it("that said its last word before we could end it for what it said is a success", () => {
    expect(typeOf({ stop: { type: "tool_loop", message: "so" } })).toBeUndefined();
    expect(typeOf({ stop: { type: "idle", message: "so" } })).toBe("idle");
    expect(typeOf({ stop: { type: "cancelled", message: "so" } })).toBe("cancelled");
  });

  it("whose end nobody knows is lost, and one that the supervisor ended had its time", () => {
    expect(typeOf({ exit: null })).toBe("lost");
    expect(typeOf({ exit: null, isSandboxRemoved: true })).toBe("removed");
    expect(typeOf({ exit: { code: null, signal: "SIGTERM", reason: "timeout" } })).toBe("timeout");
    expect(typeOf({ exit: { code: 0, signal: null, reason: "timeout" } })).toBe("timeout");
  });

  it("that was killed crashed, even if the model's API had trouble just before", () => {
    expect(classify(evidence({ exit: killed, requests: [answered(529)] }))).toMatchObject({
      type: "crash",
      message: expect.stringContaining("SIGKILL"),
    });
    expect(classify(evidence({ exit: { ...killed, reason: "memory" } }))?.message).toContain("out of memory");
  });
});

describe("the gateway's records", () => {
  it.each([
    [refused("budget"), "budget"],
    [refused("auth"), "auth"],
    [refused("no_credential"), "auth"],
    [refused("lease_ended"), "auth"],
    [refused("too_large"), "context"],
    [refused("upstream_setting"), "policy"],
    [answered(403), "auth"],
    [answered(429), "quota"],
    [answered(413), "context"],
    [answered(500), "overloaded"],
    [answered(529), "overloaded"],
    [record({ status: 200, error: "overloaded_error" }), "overloaded"],
    [record({ status: 400, error: "context_length_exceeded" }), "context"],
    [record({ outcome: "failed", reason: "ECONNREFUSED" }), "network"],
    [record({ outcome: "cut", reason: "upstream_gone", status: 200 }), "network"],
  ] as const)("decide over a run that failed: %o is %s", (last, type) => {
    expect(typeOf({ exit: failed, requests: [answered(200), last] })).toBe(type);
    expect(typeOf({ exit: failed, requests: [last], ...ended({ error: error({ type: "unknown" }) }) })).toBe(
      type,
    );
  });

  it("say when a quota ends, and the CLI where they do not", () => {
    const until = "2026-06-01T10:00:00.000Z";
    expect(classify(evidence({ exit: failed, requests: [{ ...refused("quota"), until }] }))).toMatchObject({
      type: "quota",
      until,
    });
    expect(
      classify(
        evidence({
          exit: failed,
          requests: [refused("quota")],
          ...ended({ error: error({ type: "quota", until: "2026-06-01T12:00:00+02:00" }) }),
        }),
      )?.until,
    ).toBe(until);
    expect(
      classify(evidence({ exit: failed, ...ended({ error: error({ type: "quota", until: "soon" }) }) }))
        ?.until,
    ).toBeNull();
  });

  it("of trouble that was overcome are no failure", () => {
    expect(typeOf({ requests: [answered(529), answered(529), answered(200)] })).toBeUndefined();
    // Even the last one may be of a request that the work did not need.
    expect(typeOf({ requests: [answered(200), answered(529)] })).toBeUndefined();
    expect(typeOf({ exit: failed, requests: [answered(529), answered(200)] })).toBe("unknown");
  });

  it("of a refusal count although a request for a title came after it", () => {
    const requests = [refused("budget"), answered(200)];
    expect(typeOf({ exit: failed, requests, ...ended({ error: error({ status: 400 }) }) })).toBe("budget");
    expect(typeOf({ exit: failed, requests, ...ended({ error: error({ type: "max_turns" }) }) })).toBe(
      "max_turns",
    );
  });

  it("of what no run needs say nothing", () => {
    expect(typeOf({ exit: failed, requests: [refused("unknown_path")] })).toBe("unknown");
    expect(typeOf({ exit: failed, requests: [record({ outcome: "cut", reason: "client_gone" })] })).toBe(
      "unknown",
    );
  });
});

describe("a model's host that is blocked", () => {
  const blocked = "api.anthropic.com";

  it.each([{ type: "network" }, { type: "auth", status: 403 }, { status: 500 }, {}] as const)(
    "goes before what the CLI made of it, %o",
    (said) => {
      const seen = evidence({ blocked, exit: failed, ...ended({ error: error(said) }) });
      expect(classify(seen)).toMatchObject({
        type: "policy",
        message: expect.stringContaining("api.anthropic.com is blocked"),
        remedy: expect.stringContaining("network log"),
      });
    },
  );

  it("is also why one waited that we ended, but not why one was cancelled", () => {
    for (const [type, ends] of [
      ["idle", "policy"],
      ["overloaded", "policy"],
      ["timeout", "policy"],
      ["cancelled", "cancelled"],
    ] as const)
      expect(typeOf({ blocked, stop: { type, message: "so" }, exit: killed })).toBe(ends);
    expect(typeOf({ blocked, exit: { ...killed, reason: "timeout" } })).toBe("policy");
  });

  it("is nothing where the run was a success, or where the gateway was asked", () => {
    expect(typeOf({ blocked })).toBeUndefined();
    expect(typeOf({ blocked, exit: failed, requests: [answered(529)] })).toBe("overloaded");
  });
});

describe("the CLI's own words", () => {
  it("decide where the gateway saw nothing wrong", () => {
    expect(typeOf({ requests: [answered(200)], ...ended({ error: error({ type: "context" }) }) })).toBe(
      "context",
    );
    expect(typeOf(ended({ error: error({ status: 429 }) }))).toBe("quota");
    expect(typeOf(ended({ error: error({ status: 401 }) }))).toBe("auth");
    expect(typeOf(ended({ error: error({ status: 503 }) }))).toBe("overloaded");
    expect(typeOf(ended({ error: error({ status: 418 }) }))).toBe("unknown");
  });

  it("are told, and never searched", () => {
    const failure = classify(
      evidence(ended({ error: error({ message: "expected 429 lines, rate limit" }) })),
    );
    expect(failure).toMatchObject({ type: "unknown", message: expect.stringContaining("429 lines") });
    expect(typeOf({ exit: failed, stderr: "HTTP 401 unauthorized" })).toBe("unknown");
    expect(typeOf(ended({ lastText: "I hit a 429 rate_limit_error" }))).toBeUndefined();
  });

  it("are believed more than its status, where it came to a good end after an error", () => {
    expect(typeOf({ exit: failed, ...ended({ recovered: true }) })).toBeUndefined();
    expect(typeOf({ exit: failed, ...ended({ recovered: false }) })).toBe("unknown");
  });

  it("that never came make it a crash, with what stderr had last", () => {
    expect(
      classify(evidence({ exit: failed, stderr: "panic", ...ended({ complete: false }) })),
    ).toMatchObject({
      type: "crash",
      message: expect.stringContaining("status 1 before its last word: panic"),
    });
    expect(typeOf(ended({ complete: false }))).toBe("crash");
  });
});

describe("denials", () => {
  const denials = ["Bash: npm test"];

  it("are a failure where nothing worked after them, although the CLI is content", () => {
    expect(classify(evidence({ lastToolWorked: false, ...ended({ denials }) }))).toMatchObject({
      type: "denied",
      message: expect.stringContaining("Bash: npm test"),
    });
    expect(typeOf({ exit: failed, lastToolWorked: true, ...ended({ denials }) })).toBe("denied");
  });

  it("that it found another way around are none, and so is an answer that is good", () => {
    expect(typeOf({ lastToolWorked: true, ...ended({ denials }) })).toBeUndefined();
    const answer = { ok: true, value: 1 } as const;
    expect(typeOf({ lastToolWorked: false, answer, ...ended({ denials }) })).toBeUndefined();
  });

  it("come behind what the gateway and the CLI say", () => {
    expect(typeOf({ exit: failed, requests: [refused("budget")], ...ended({ denials }) })).toBe("budget");
    expect(typeOf({ exit: failed, ...ended({ denials, error: error({ type: "max_turns" }) }) })).toBe(
      "max_turns",
    );
  });
});

describe("an answer that is missing or wrong", () => {
  const answer = { ok: false, problem: "there is no structured answer" } as const;

  it("is malformed, never a success", () => {
    expect(classify(evidence({ answer }))).toMatchObject({
      type: "malformed",
      message: expect.stringContaining(answer.problem),
    });
  });

  it("is not the reason where another one is known", () => {
    expect(typeOf({ answer, exit: failed, requests: [answered(529)] })).toBe("overloaded");
    expect(typeOf({ answer, ...ended({ error: error({ type: "refusal" }) }) })).toBe("refusal");
    expect(typeOf({ answer, ...ended({ complete: false }) })).toBe("crash");
  });
});

it("every failure has a rule, a sentence and a remedy", () => {
  expect(Object.keys(failureRules).toSorted()).toEqual([...failureTypes].toSorted());
  for (const { retry, limit, sentence, remedy } of Object.values(failureRules)) {
    expect(Object.keys(retryMeanings)).toContain(retry);
    expect(limit > 0).toBe(retry !== "never" && retry !== "after_user");
    for (const text of [sentence, remedy]) expect(text).toMatch(/^[A-Z`].*\.$/);
  }
});

function typeOf(fields: Partial<Evidence>): string | undefined {
  return classify(evidence(fields))?.type;
}

function evidence(fields: Partial<Evidence> = {}): Evidence {
  const { ending } = ended();
  return {
    stop: null,
    exit: done,
    isSandboxRemoved: false,
    ending,
    requests: [],
    blocked: undefined,
    answer: undefined,
    lastToolWorked: null,
    stderr: "",
    ...fields,
  };
}

function ended(fields: Partial<AgentEnding> = {}): Pick<Evidence, "ending"> {
  return {
    ending: {
      complete: true,
      session: null,
      error: null,
      answer: undefined,
      lastText: null,
      denials: [],
      tokens: null,
      usd: null,
      turns: null,
      ...fields,
    },
  };
}

function error(fields: Partial<AgentError>): AgentError {
  return { type: null, status: null, message: "it says so", until: null, ...fields };
}

function record(fields: Partial<GatewayRecord>): GatewayRecord {
  return {
    at: "2026-06-01T00:00:00.000Z",
    outcome: "answered",
    status: null,
    reason: null,
    error: null,
    until: null,
    ...fields,
  };
}

function answered(status: number): GatewayRecord {
  return record({ status });
}

function refused(reason: string): GatewayRecord {
  return record({ outcome: "refused", reason });
}
