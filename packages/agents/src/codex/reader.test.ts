import { describe, expect, it } from "vitest";
import type { AgentTask } from "../driver.ts";
import { CodexReader } from "./reader.ts";

const thread = "01a1e28f-f2ad-7e31-bdbe-ccc7fe28e8de";
const task: AgentTask = {
  prompt: "",
  instructions: [],
  projectSettings: "ignored",
  permissions: { kind: "full" },
  session: { kind: "new", id: "0e0e0e0e-0000-4000-8000-000000000000" },
};

const started = `{"type":"thread.started","thread_id":"${thread}"}`;
const said = `{"type":"item.completed","item":{"id":"item_6","type":"agent_message","text":"all done"}}`;
const completed = `{"type":"turn.completed","usage":{"input_tokens":6000,"cached_input_tokens":1800,"cache_write_input_tokens":200,"output_tokens":60,"reasoning_output_tokens":24}}`;

function read(lines: readonly string[], changed: Partial<AgentTask> = {}) {
  const reader = new CodexReader({ ...task, ...changed });
  return { sayings: lines.flatMap((line) => reader.line(line)), ending: reader.ending(), reader };
}

describe("what codex exec --json prints", () => {
  it("is a run from its start to its end", () => {
    const { sayings, ending } = read([
      started,
      `{"type":"turn.started"}`,
      `{"type":"item.completed","item":{"id":"item_0","type":"reasoning","text":"**Thinking** about it"}}`,
      `{"type":"item.started","item":{"id":"item_1","type":"command_execution","command":"/bin/bash -lc 'cat a.txt'","aggregated_output":"","exit_code":null,"status":"in_progress"}}`,
      `{"type":"item.completed","item":{"id":"item_1","type":"command_execution","command":"/bin/bash -lc 'cat a.txt'","aggregated_output":"hello\\n","exit_code":0,"status":"completed"}}`,
      `{"type":"item.started","item":{"id":"item_2","type":"file_change","changes":[{"path":"/project/a.txt","kind":"update"},{"path":"/project/b.txt","kind":"add"}],"status":"in_progress"}}`,
      `{"type":"item.completed","item":{"id":"item_2","type":"file_change","changes":[{"path":"/project/a.txt","kind":"update"},{"path":"/project/b.txt","kind":"add"}],"status":"completed"}}`,
      said,
      completed,
    ]);
    const changes = `[{"path":"/project/a.txt","kind":"update"},{"path":"/project/b.txt","kind":"add"}]`;
    expect(sayings).toEqual([
      { type: "started", session: thread, model: null, resumed: false },
      { type: "thinking", text: "**Thinking** about it" },
      {
        type: "tool_call",
        id: "item_1",
        tool: "command_execution",
        kind: "command",
        summary: "cat a.txt",
        input: `{"command":"cat a.txt"}`,
      },
      { type: "tool_result", id: "item_1", ok: true, output: "hello\n", exitCode: 0 },
      {
        type: "tool_call",
        id: "item_2",
        tool: "file_change",
        kind: "edit",
        summary: "/project/a.txt, /project/b.txt",
        input: `{"changes":${changes}}`,
      },
      { type: "tool_result", id: "item_2", ok: true, output: "", exitCode: null },
      { type: "file_change", path: "/project/a.txt", change: "modified" },
      { type: "file_change", path: "/project/b.txt", change: "added" },
      { type: "text", text: "all done" },
      { type: "usage", tokens: { input: 4000, output: 60, cacheRead: 1800, cacheWrite: 200 }, usd: null },
      { type: "finished", ok: true, message: "all done" },
    ]);
    expect(ending).toMatchObject({
      complete: true,
      session: thread,
      error: null,
      lastText: "all done",
      denials: [],
      tokens: { input: 4000, output: 60, cacheRead: 1800, cacheWrite: 200 },
    });
  });

  it("tells of tools of other kinds", () => {
    const { sayings } = read([
      `{"type":"item.started","item":{"id":"item_0","type":"mcp_tool_call","server":"t","tool":"add","arguments":{"a":1},"result":null,"error":null,"status":"in_progress"}}`,
      `{"type":"item.completed","item":{"id":"item_0","type":"mcp_tool_call","server":"t","tool":"add","arguments":{"a":1},"result":{"content":[{"type":"text","text":"sum 3"}],"structured_content":null},"error":null,"status":"completed"}}`,
      `{"type":"item.started","item":{"id":"item_1","type":"todo_list","items":[{"text":"one","completed":true},{"text":"two","completed":false}]}}`,
      `{"type":"item.updated","item":{"id":"item_1","type":"todo_list","items":[{"text":"one","completed":true},{"text":"two","completed":true}]}}`,
      `{"type":"item.started","item":{"id":"item_2","type":"web_search","id":"ws_1","query":"weather","action":{"type":"search","query":"weather"}}}`,
      `{"type":"item.completed","item":{"id":"item_2","type":"web_search","id":"ws_1","query":"weather","action":{"type":"search","query":"weather"}}}`,
      `{"type":"item.completed","item":{"id":"item_1","type":"todo_list","items":[{"text":"one","completed":true},{"text":"two","completed":true}]}}`,
    ]);
    expect(
      sayings.map((saying) => [saying.type, "kind" in saying ? saying.kind : "id" in saying && saying.id]),
    ).toEqual([
      ["tool_call", "mcp"],
      ["tool_result", "item_0"],
      ["tool_call", "plan"],
      ["tool_result", "item_1.1"],
      ["tool_call", "plan"],
      ["tool_result", "item_1.2"],
      ["tool_call", "web"],
      ["tool_result", "ws_1"],
    ]);
    expect(sayings[1]).toMatchObject({ ok: true, output: "sum 3" });
  });

  it("has a result for each call, and a call for a result that came alone", () => {
    const failed = `{"type":"item.completed","item":{"id":"item_3","type":"command_execution","command":"/bin/bash -lc 'exit 3'","aggregated_output":"","exit_code":3,"status":"failed"}}`;
    const rejected = `{"type":"item.completed","item":{"id":"item_4","type":"file_change","changes":[{"path":"/etc/x","kind":"add"}],"status":"failed"}}`;
    const { sayings } = read([failed, rejected]);
    expect(sayings.map(({ type }) => type)).toEqual(["tool_call", "tool_result", "tool_call", "tool_result"]);
    expect(sayings[1]).toMatchObject({ ok: false, exitCode: 3 });
    expect(sayings[3]).toMatchObject({ ok: false });
  });

  it.each([
    `{"type":"item.completed","item":{"id":"item_0","type":"error","message":"Model metadata for \`gpt-5\` not found."}}`,
    `{"type":"error","message":"Reconnecting... 1/2 (exceeded retry limit, last status: 429 Too Many Requests)"}`,
    `{"type":"item.completed","item":{"id":"item_9","type":"of_a_later_version","x":1}}`,
    `{"type":"thread.started"}`,
    "no JSON",
  ])("keeps what it does not know, and takes it for no failure: %s", (line) => {
    const { sayings, ending } = read([line]);
    expect(sayings).toEqual([{ type: "raw", stream: "stdout", line }]);
    expect(ending).toMatchObject({ complete: false, error: null, session: null });
  });

  it("shows a command as the model gave it, however Codex quotes it", () => {
    const shown = (command: string) => {
      const item = { id: "i", type: "command_execution", command, status: "in_progress" };
      const [call] = read([JSON.stringify({ type: "item.started", item })]).sayings;
      return call?.type === "tool_call" ? call.summary : undefined;
    };
    expect(shown(`/bin/bash -lc ls`)).toBe("ls");
    expect(shown(`/bin/zsh -lc 'a\nb'`)).toBe("a\nb");
    expect(shown(String.raw`/bin/bash -lc "echo 'x' \"\$HOME\""`)).toBe(`echo 'x' "$HOME"`);
    expect(shown(`cat 'a b'`)).toBe(`cat 'a b'`);
  });
});

describe("how a run of Codex ends", () => {
  const failed = (message: string) => JSON.stringify({ type: "turn.failed", error: { message } });

  it("by what turn.failed says, whatever stood before it", () => {
    const printed = `{"type":"item.completed","item":{"id":"item_1","type":"command_execution","command":"npm test","aggregated_output":"exceeded retry limit, last status: 429 Too Many Requests","exit_code":1,"status":"failed"}}`;
    const { sayings, ending } = read([started, printed, failed("Connection failed: error sending request")]);
    expect(sayings.at(-1)).toMatchObject({ type: "finished", ok: false });
    expect(ending).toMatchObject({ complete: true, error: { type: "network", status: null } });
  });

  it("without its last word where it was cut off", () => {
    expect(read([started, said]).ending).toMatchObject({ complete: false, error: null });
  });

  it.each([
    "thread/resume: thread/resume failed: no rollout found for thread id 01a1e28f (code -32600)",
    'approval_policy = "untrusted" is no longer supported; remove this setting',
  ])("by what it says on stderr where it did not come to a turn: %s", (message) => {
    const { reader } = read([started]);
    expect(reader.errorLine(`Error: ${message}`)).toEqual([]);
    expect(reader.ending()).toMatchObject({ complete: true, error: { type: null, message } });
  });

  it("well, whatever stood on stderr before", () => {
    const { reader } = read([started, said]);
    reader.errorLine("Error: something passing");
    reader.line(completed);
    expect(reader.ending()).toMatchObject({ complete: true, error: null });
  });

  it("as refused where a turn is over and nothing was said", () => {
    expect(read([started, completed]).ending).toMatchObject({ complete: true, error: { type: "refusal" } });
    const call = `{"type":"item.completed","item":{"id":"item_1","type":"command_execution","command":"ls","exit_code":0,"status":"completed"}}`;
    expect(read([started, said, call, completed]).ending.error?.type).toBe("refusal");
    expect(read([started, call, said, completed]).ending.error).toBeNull();
    const begun = `{"type":"item.started","item":{"id":"item_1","type":"command_execution","command":"ls","exit_code":null,"status":"in_progress"}}`;
    expect(read([started, begun, said, call, completed]).ending.error).toBeNull();
  });

  it("with an answer where one was asked for and the last text is JSON", () => {
    const answer = { jsonSchema: {} };
    const json = `{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"{\\"verdict\\":\\"pass\\"}"}}`;
    expect(read([json, completed], { answer }).ending.answer).toEqual({ verdict: "pass" });
    expect(read([said, completed], { answer }).ending.answer).toBeUndefined();
    expect(read([json, completed]).ending.answer).toBeUndefined();
  });
});

describe("a conversation that is resumed", () => {
  it("is known by its id; another one is a new conversation", () => {
    const session = { kind: "resumed", id: thread } as const;
    expect(read([started], { session }).sayings).toMatchObject([{ resumed: true }]);
    const other = { kind: "resumed", id: "nonsense" } as const;
    expect(read([started], { session: other }).sayings).toMatchObject([{ resumed: false, session: thread }]);
  });

  it("counts from its beginning on: what was used before is taken off", () => {
    const used = { input: 3000, output: 50, cacheRead: 800, cacheWrite: 200 };
    const known = read([said, completed], { session: { kind: "resumed", id: thread, used } });
    expect(known.ending.tokens).toEqual({ input: 1000, output: 10, cacheRead: 1000, cacheWrite: 0 });
    const unknown = read([said, completed], { session: { kind: "resumed", id: thread } });
    expect(unknown.ending.tokens).toBeNull();
    expect(unknown.sayings.map(({ type }) => type)).toEqual(["text", "finished"]);
  });
});

describe("what Codex did not let the model do", () => {
  const log = "2026-11-16T04:18:04.293011Z ERROR codex_core::tools::router: error=";

  it.each([
    [
      "patch rejected: writing outside of the project; rejected by user approval settings",
      "apply_patch: writing outside of the project; rejected by user approval settings",
    ],
    [
      "approval policy is Never; reject command — you cannot ask for escalated permissions if the approval policy is Never",
      "exec_command: it asked to leave Codex's sandbox",
    ],
    [
      String.raw`exec_command failed: CreateProcess { message: "Rejected(\"` +
        String.raw`${"`"}/bin/bash -lc 'rm -rf out'${"`"} rejected: rm -f style commands are not permitted. Use a safer approach\")" }`,
      "exec_command: /bin/bash -lc 'rm -rf out': rm -f style commands are not permitted. Use a safer approach",
    ],
  ])("is in its log alone: %s", (error, denial) => {
    const reader = new CodexReader({ ...task, permissions: { kind: "edits", commands: [] } });
    const sayings = reader.errorLine(log + error);
    expect(sayings).toMatchObject([{ type: "tool_call" }, { type: "tool_result", ok: false }]);
    expect(reader.ending().denials).toEqual([denial]);
  });

  it("is found in a moment in a line that repeats its marks", () => {
    const line = `${log}exec_command failed${': CreateProcess { message: "Rejected(\\"`'.repeat(600)}${"` rejected: ".repeat(600)}`;
    const reader = new CodexReader(task);
    const start = performance.now();
    for (let times = 0; times < 20; times += 1) reader.errorLine(line);
    // On a busy machine too; what grows with the cube of the length takes minutes.
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  it("is no denial where everything is allowed, and seen all the same", () => {
    const reader = new CodexReader(task);
    const sayings = reader.errorLine(`${log}patch rejected: writing outside of the project`);
    expect(sayings).toMatchObject([{ type: "tool_call" }, { type: "tool_result", ok: false }]);
    expect(reader.ending().denials).toEqual([]);
  });

  it.each([
    `${log}unsupported call: update_plan`,
    "2026-11-16T04:26:34.910922Z ERROR codex_core::session: failed to record rollout items",
    "patch rejected: writing outside of the project",
  ])("is nothing else of its log: %s", (line) => {
    const reader = new CodexReader(task);
    expect(reader.errorLine(line)).toEqual([]);
    expect(reader.ending().denials).toEqual([]);
  });
});
