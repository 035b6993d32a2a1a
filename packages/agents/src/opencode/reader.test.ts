import type { AgentSaying } from "@opentiger/schema";
import { describe, expect, it } from "vitest";
import type { AgentTask, Permissions } from "../driver.ts";
import { OpenCodeReader } from "./reader.ts";

const sessionID = "ses_e1d6fe9c7ffeh5JvDoE0iCFgRC";

/** As 1.18.33 prints it. */
const event = (type: string, rest: object) =>
  JSON.stringify({ type, timestamp: 1794802466710, sessionID, ...rest });

const stepStart = event("step_start", { part: { id: "prt_1", sessionID, type: "step-start" } });
const text = (said: string, more: object = {}) =>
  event("text", { part: { type: "text", text: said, time: { start: 1, end: 2 }, ...more } });
const stepFinish = (reason: string, tokens: object = {}, cost = 0.00039885) =>
  event("step_finish", {
    part: {
      reason,
      type: "step-finish",
      tokens: { total: 46, input: 11, output: 20, reasoning: 3, cache: { write: 5, read: 7 }, ...tokens },
      cost,
    },
  });
const tool = (name: string, state: object) =>
  event("tool_use", { part: { type: "tool", tool: name, callID: `toolu_${name}`, state } });
const step = (said: string, reason: string) => [stepStart, text(said), stepFinish(reason)];
const failure = (name: string, data: object) => event("error", { error: { name, data } });

const ran = (command: string, exit: number | null) =>
  tool("bash", {
    status: "completed",
    input: { command, description: "look" },
    output: "made\n",
    metadata: { output: "made\n", exit, truncated: false },
    title: command,
  });

const rule =
  "The user has specified a rule which prevents you from using this specific tool call. Here are some of the relevant rules []";

function read(lines: readonly string[], changed: Partial<AgentTask> = {}) {
  const reader = new OpenCodeReader({
    prompt: "",
    instructions: [],
    projectSettings: "ignored",
    permissions: { kind: "full" },
    session: { kind: "new", id: "e1b1d5a2-51d5-4f0c-8f0f-0d0f7c4f0a11" },
    ...changed,
  });
  const sayings = lines.flatMap((line) => reader.line(line));
  return { sayings, ending: reader.ending(), tooMuch: reader.tooMuch() };
}

const of = <Type extends AgentSaying["type"]>(sayings: readonly AgentSaying[], type: Type) =>
  sayings.filter((saying): saying is Extract<AgentSaying, { type: Type }> => saying.type === type);

describe("what OpenCode prints", () => {
  it("is a run from its start to its end, and the tokens of all its steps", () => {
    const { sayings, ending } = read(
      [
        stepStart,
        event("reasoning", { part: { type: "reasoning", text: "let me see" } }),
        text("I look first."),
        ran("cat b.txt; exit 3", 3),
        stepFinish("tool-calls"),
        stepStart,
        text("All done."),
        stepFinish("stop"),
      ],
      { model: "claude-sonnet-4-5" },
    );
    expect(sayings.map(({ type }) => type)).toEqual([
      "started",
      "thinking",
      "text",
      "tool_call",
      "tool_result",
      "usage",
      "text",
      "usage",
      "finished",
    ]);
    expect(sayings[0]).toEqual({
      type: "started",
      session: sessionID,
      model: "anthropic/claude-sonnet-4-5",
      resumed: false,
    });
    expect(of(sayings, "usage")[0]).toEqual({
      type: "usage",
      tokens: { input: 11, output: 23, cacheRead: 7, cacheWrite: 5 },
      usd: 0.00039885,
    });
    expect(sayings.at(-1)).toEqual({ type: "finished", ok: true, message: "All done." });
    expect(ending).toEqual({
      complete: true,
      session: sessionID,
      error: null,
      recovered: false,
      answer: undefined,
      lastText: "All done.",
      denials: [],
      tokens: { input: 22, output: 46, cacheRead: 14, cacheWrite: 10 },
      usd: 0.0007977,
      turns: 2,
    });
  });

  it("is resumed only where the session is the one that was asked for", () => {
    const asked = (id: string) => read([stepStart], { session: { kind: "resumed", id } }).sayings[0];
    expect(asked(sessionID)).toMatchObject({ resumed: true });
    expect(asked("ses_another")).toMatchObject({ resumed: false });
  });

  it("has no price where OpenCode knows none", () => {
    const { sayings, ending } = read([stepFinish("stop", {}, 0)]);
    expect(of(sayings, "usage")[0]?.usd).toBeNull();
    expect(ending.usd).toBeNull();
  });

  it("is not complete while a step is open, or after tools were called", () => {
    expect(read([stepStart, text("I look first.")]).ending.complete).toBe(false);
    expect(read([stepStart, ran("ls", 0), stepFinish("tool-calls")]).ending.complete).toBe(false);
  });

  it("is kept as it is where nobody knows it", () => {
    const line = '{"type":"nobody","sessionID":"ses_1"}';
    expect(read([line, "no json"]).sayings).toEqual([
      { type: "raw", stream: "stdout", line },
      { type: "raw", stream: "stdout", line: "no json" },
    ]);
  });

  it("leaves out what OpenCode itself says to the model", () => {
    const { ending, sayings } = read([
      text("Done."),
      text("Continue if you have next steps", { synthetic: true }),
    ]);
    expect(of(sayings, "text")).toHaveLength(1);
    expect(ending.lastText).toBe("Done.");
  });
});

describe("errors that OpenCode tells", () => {
  it("are the end, told once", () => {
    const overflow = failure("ContextOverflowError", { message: "prompt is too long" });
    const { sayings, ending } = read([overflow, overflow]);
    expect(of(sayings, "finished")).toEqual([{ type: "finished", ok: false, message: "prompt is too long" }]);
    expect(ending).toMatchObject({ complete: true, error: { type: "context" } });
  });

  it("are forgotten where it gets over them", () => {
    const { ending } = read([
      failure("ContextOverflowError", { message: "prompt is too long" }),
      ...step("a summary", "stop"),
      ...step("All done.", "stop"),
    ]);
    expect(ending).toMatchObject({ complete: true, error: null, recovered: true, lastText: "All done." });
  });

  it("a refusal of the model's is one of them", () => {
    const { sayings, ending } = read([
      ...step("I cannot", "content-filter"),
      failure("ContentFilterError", { message: "The response was blocked by the provider's content filter" }),
    ]);
    expect(of(sayings, "finished")).toHaveLength(1);
    expect(ending).toMatchObject({ error: { type: "refusal" }, recovered: false });
  });

  it("an answer that was cut off is no good end", () => {
    const { ending } = read([stepStart, text("half of"), stepFinish("length")]);
    expect(ending).toMatchObject({ complete: true, error: { type: null, status: null } });
  });
});

describe("a run that must be ended", () => {
  const turn = [stepStart, ran("ls", 0), ran("pwd", 0), stepFinish("tool-calls")];
  const empty = stepFinish("unknown", { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } }, 0);

  it("takes more turns than it has; calls that are made at once are one turn", () => {
    expect(read([...turn, ...turn], { maxTurns: 2 }).tooMuch).toBeUndefined();
    expect(read([...turn, ...turn, stepStart, text("Done.")], { maxTurns: 2 }).tooMuch).toBeUndefined();
    expect(read([...turn, ...turn, ...turn], { maxTurns: 2 }).tooMuch).toMatchObject({ type: "max_turns" });
  });

  it("is answered with nothing again and again, which OpenCode would take for ever", () => {
    expect(read([empty, empty, empty, empty]).tooMuch).toBeUndefined();
    expect(read([empty, empty, empty, empty, ran("ls", 0), empty]).tooMuch).toBeUndefined();
    expect(read([empty, empty, empty, empty, empty]).tooMuch).toMatchObject({ type: "overloaded" });
  });
});

describe("denials", () => {
  const edits: Permissions = { kind: "edits", commands: [] };
  const denied = (error: string, permissions: Permissions) =>
    read([tool("bash", { status: "error", input: { command: "rm -rf x" }, error })], { permissions }).ending
      .denials;

  it("are told with what was wanted", () => {
    expect(denied(rule, edits)).toEqual(["bash rm -rf x"]);
    const rejected = "The user rejected permission to use this specific tool call.";
    expect(denied(rejected, edits)).toEqual(["bash rm -rf x"]);
  });

  it("a tool that was not offered is one, unless everything was", () => {
    const unavailable = "Model tried to call unavailable tool 'invalid'. Available tools: read.";
    expect(denied(unavailable, { kind: "read" })).toEqual(["bash rm -rf x"]);
    expect(denied(unavailable, { kind: "full" })).toEqual([]);
  });

  it("are not looked for in what a tool says", () => {
    expect(denied(`cat: ${rule}`, edits)).toEqual([]);
    const printed = { status: "completed", input: { command: "cat x" }, output: rule, metadata: { exit: 0 } };
    expect(read([tool("bash", printed)], { permissions: edits }).ending.denials).toEqual([]);
  });

  it("are bounded", () => {
    const line = tool("bash", { status: "error", input: { command: "ls" }, error: rule });
    expect(read(Array.from({ length: 1000 }, () => line)).ending.denials).toHaveLength(100);
  });
});
