import type { AgentSaying, TokenCount } from "@opentiger/schema";
import { describe, expect, it } from "vitest";
import type { AgentTask } from "../driver.ts";
import { ClaudeReader } from "./reader.ts";

const id = "11111111-1111-4111-8111-111111111111";
const task: AgentTask = {
  prompt: "Mend it.",
  instructions: [],
  projectSettings: "ignored",
  permissions: { kind: "full" },
  session: { kind: "new", id },
};

/** As Claude Code 2.1.197 printed them; lists that do not matter here are shorter. */
const lines = {
  init: `{"type":"system","subtype":"init","cwd":"/project","session_id":"${id}","tools":["Task","Bash"],"mcp_servers":[],"model":"claude-opus-4-8[1m]","permissionMode":"bypassPermissions","apiKeySource":"ANTHROPIC_API_KEY","claude_code_version":"2.1.197","uuid":"824d93de-9eb8-4189-9d0f-47c6da2c5def","fast_mode_state":"off"}`,
  control: `{"type":"control_response","response":{"subtype":"success","request_id":"opentiger","response":{"commands":[],"account":{"email":"a@b.test"},"pid":7}}}`,
  thoughts: `{"type":"system","subtype":"thinking_tokens","estimated_tokens":3,"estimated_tokens_delta":3,"uuid":"396ad0e5-5c5c-4d64-bc56-89c02f60b390","session_id":"${id}"}`,
  thinking: assistant(1, `{"type":"thinking","thinking":"let me think","signature":"c2ln"}`),
  text: assistant(1, `{"type":"text","text":"I will read"}`),
  bash: assistant(
    1,
    `{"type":"tool_use","id":"toolu_1_2","name":"Bash","input":{"command":"echo hi; exit 3","description":"say hi"}}`,
  ),
  bashFailed: `{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"Exit code 3\\nhi","is_error":true,"tool_use_id":"toolu_1_2"}]},"parent_tool_use_id":null,"session_id":"${id}","timestamp":"2026-11-16T04:12:36.837Z","tool_use_result":"Error: Exit code 3\\nhi"}`,
  bashWorked: `{"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_1_2","type":"tool_result","content":"hi","is_error":false}]},"parent_tool_use_id":null,"session_id":"${id}","tool_use_result":{"stdout":"hi","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false}}`,
  bashWentOn: `{"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_1_2","type":"tool_result","content":"Command running in background with ID: buz92bbng.","is_error":false}]},"parent_tool_use_id":null,"session_id":"${id}","tool_use_result":{"stdout":"","stderr":"","interrupted":false,"isImage":false,"backgroundTaskId":"buz92bbng"}}`,
  bashDenied: `{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"This command requires approval","is_error":true,"tool_use_id":"toolu_1_2"}]},"parent_tool_use_id":null,"session_id":"${id}","tool_use_result":"Error: This command requires approval"}`,
  write: assistant(
    2,
    `{"type":"tool_use","id":"toolu_2_0","name":"Write","input":{"file_path":"/project/new.txt","content":"abc\\n"}}`,
  ),
  written: `{"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_2_0","type":"tool_result","content":"File created successfully at: /project/new.txt"}]},"parent_tool_use_id":null,"session_id":"${id}","tool_use_result":{"type":"create","filePath":"/project/new.txt","content":"abc\\n","structuredPatch":[],"originalFile":null,"userModified":false}}`,
  edit: assistant(
    3,
    `{"type":"tool_use","id":"toolu_3_0","name":"Edit","input":{"replace_all":false,"file_path":"/project/a.txt","old_string":"one","new_string":"two"}}`,
  ),
  edited: `{"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_3_0","type":"tool_result","content":"The file /project/a.txt has been updated successfully."}]},"parent_tool_use_id":null,"session_id":"${id}","tool_use_result":{"filePath":"/project/a.txt","oldString":"one","newString":"two","originalFile":"one\\n","structuredPatch":[],"userModified":false,"replaceAll":false}}`,
  editFailed: `{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"<tool_use_error>File has not been read yet.</tool_use_error>","is_error":true,"tool_use_id":"toolu_3_0"}]},"parent_tool_use_id":null,"session_id":"${id}","tool_use_result":"Error: File has not been read yet."}`,
  done: assistant(4, `{"type":"text","text":"done"}`),
  result: `{"type":"result","subtype":"success","is_error":false,"api_error_status":null,"duration_ms":634,"duration_api_ms":262,"num_turns":6,"result":"done","stop_reason":"end_turn","session_id":"${id}","total_cost_usd":0.0076,"usage":{"input_tokens":1004,"cache_creation_input_tokens":12,"cache_read_input_tokens":28,"output_tokens":100},"modelUsage":{"claude-opus-4-8[1m]":{"inputTokens":1004,"outputTokens":100,"cacheReadInputTokens":28,"cacheCreationInputTokens":12,"webSearchRequests":0,"costUSD":0.0076,"contextWindow":1000000,"maxOutputTokens":64000}},"permission_denials":[],"terminal_reason":"completed","fast_mode_state":"off","uuid":"6395c80b-b004-444f-9eba-11a0c17ffbfc"}`,
};

/** A block of the answer with this number, in which that many hundreds of tokens went. */
function assistant(number: number, block: string, more = `"parent_tool_use_id":null`): string {
  return `{"type":"assistant","message":{"id":"msg_${number}","type":"message","role":"assistant","model":"claude-opus-4-8","content":[${block}],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":${number}01,"output_tokens":1,"cache_read_input_tokens":7,"cache_creation_input_tokens":3},"context_management":null},${more},"session_id":"${id}","uuid":"3edaf751-73de-46ce-bc6d-0da36ebb19c0"}`;
}

function read(...told: string[]): { said: AgentSaying[]; reader: ClaudeReader } {
  const reader = new ClaudeReader(task);
  return { said: told.flatMap((line) => reader.line(line)), reader };
}

function used(input: number): AgentSaying {
  return { type: "usage", tokens: { input, output: 1, cacheRead: 7, cacheWrite: 3 }, usd: null };
}

describe("what Claude Code prints", () => {
  it("is told in the words of all agents", () => {
    const { init, thoughts, thinking, text, bash, bashFailed } = lines;
    const { write, written, edit, edited, done, result } = lines;
    const begin = [init, thoughts, thinking, text, bash, bashFailed];
    const { said } = read(...begin, write, written, edit, edited, done, result);
    expect(said).toEqual([
      { type: "started", session: id, model: "claude-opus-4-8[1m]", resumed: false },
      { type: "thinking", text: "let me think" },
      used(101),
      { type: "text", text: "I will read" },
      {
        type: "tool_call",
        id: "toolu_1_2",
        tool: "Bash",
        kind: "command",
        summary: "echo hi; exit 3",
        input: `{"command":"echo hi; exit 3","description":"say hi"}`,
      },
      { type: "tool_result", id: "toolu_1_2", ok: false, output: "Exit code 3\nhi", exitCode: 3 },
      expect.objectContaining({ type: "tool_call", kind: "edit", summary: "/project/new.txt" }),
      used(201),
      expect.objectContaining({ type: "tool_result", id: "toolu_2_0", ok: true, exitCode: null }),
      { type: "file_change", path: "/project/new.txt", change: "added" },
      expect.objectContaining({ type: "tool_call", kind: "edit", summary: "/project/a.txt" }),
      used(301),
      expect.objectContaining({ type: "tool_result", id: "toolu_3_0", ok: true }),
      { type: "file_change", path: "/project/a.txt", change: "modified" },
      { type: "text", text: "done" },
      used(401),
      { type: "usage", tokens: { input: 0, output: 96, cacheRead: 0, cacheWrite: 0 }, usd: 0.0076 },
      { type: "finished", ok: true, message: "done" },
    ]);
  });

  it("ends with what it says of its end, and every token once", () => {
    const { init, thinking, text, done, result } = lines;
    const { reader, said } = read(init, thinking, text, done, result);
    const tokens: TokenCount = { input: 1004, output: 100, cacheRead: 28, cacheWrite: 12 };
    expect(reader.ending()).toEqual({
      complete: true,
      session: id,
      error: null,
      answer: undefined,
      lastText: "done",
      denials: [],
      tokens,
      usd: 0.0076,
      turns: 6,
    });
    const inputs = said.map((event) => (event.type === "usage" ? event.tokens.input : 0));
    expect(inputs.reduce((sum, input) => sum + input, 0)).toBe(tokens.input);
  });

  it("says how a command ended only where that is known", () => {
    const code = (line: string) => read(lines.bash, line).said.at(-1);
    expect(code(lines.bashWorked)).toMatchObject({ ok: true, exitCode: 0 });
    expect(code(lines.bashWentOn)).toMatchObject({ ok: true, exitCode: null });
    expect(code(lines.bashDenied)).toMatchObject({ ok: false, exitCode: null });
    expect(read(lines.bashFailed).said).toMatchObject([{ ok: false, exitCode: null }]);
  });

  it("tells of no changed file where the edit failed", () => {
    const { said } = read(lines.edit, lines.editFailed);
    expect(said.map(({ type }) => type)).toEqual(["tool_call", "usage", "tool_result"]);
  });

  it("is kept as it is where nobody knows it, and left out where it says nothing", () => {
    const raw = (line: string): AgentSaying[] => [{ type: "raw", stream: "stdout", line }];
    const retry = `{"type":"system","subtype":"api_retry","attempt":1,"max_retries":5,"retry_delay_ms":568.6,"error_status":529,"error":"overloaded","session_id":"${id}"}`;
    for (const line of ["plain words", `{"type":"news"}`, `{"type":"system","subtype":"news"}`, "{", retry])
      expect(read(line).said).toEqual(raw(line));
    const prompt = `{"type":"user","message":{"role":"user","content":[{"type":"text","text":"do sub"}]},"parent_tool_use_id":"toolu_1_0","session_id":"${id}"}`;
    const picture = assistant(0, `{"type":"redacted_thinking","data":"x"}`).replace(/"usage":\{.*?\},/, "");
    for (const line of [lines.control, lines.thoughts, prompt, picture]) expect(read(line).said).toEqual([]);
  });

  it("of another agent that it started is told, but is not its last word", () => {
    const parent = `"parent_tool_use_id":"toolu_1_0","subagent_type":"general-purpose"`;
    const write = lines.write.replace(`"parent_tool_use_id":null`, parent);
    const written = `{"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_2_0","type":"tool_result","content":"File created successfully at: /project/new.txt"}]},${parent},"session_id":"${id}"}`;
    const word = assistant(5, `{"type":"text","text":"sub done"}`, parent);
    const { said, reader } = read(lines.text, write, written, word);
    expect(said).toContainEqual({ type: "text", text: "sub done" });
    expect(said).toContainEqual({ type: "file_change", path: "/project/new.txt", change: "unknown" });
    expect(reader.ending().lastText).toBe("I will read");
  });

  it("may go on by itself after its result: it is started once, and the last result counts", () => {
    const later = lines.result.replace(`"outputTokens":100`, `"outputTokens":150`);
    const { said, reader } = read(lines.init, lines.result, lines.init, later);
    expect(said.map(({ type }) => type)).toEqual(["started", "usage", "finished", "usage", "finished"]);
    expect(said[3]).toEqual({
      type: "usage",
      tokens: { input: 0, output: 50, cacheRead: 0, cacheWrite: 0 },
      usd: 0,
    });
    expect(reader.ending().tokens?.output).toBe(150);
  });
});

describe("an end of Claude Code's", () => {
  it("that never came leaves what was said until then", () => {
    const { reader } = read(lines.init, lines.text);
    expect(reader.ending()).toMatchObject({
      complete: false,
      session: id,
      lastText: "I will read",
      tokens: null,
      usd: null,
      turns: null,
    });
  });

  it("has the structured answer, and none where the model answered in prose", () => {
    const answered = lines.result.replace(
      `"permission_denials":[]`,
      `"permission_denials":[],"structured_output":{"verdict":"pass","n":3}`,
    );
    expect(read(answered).reader.ending().answer).toEqual({ verdict: "pass", n: 3 });
    expect(read(lines.result).reader.ending().answer).toBeUndefined();
  });

  it("has what it was not allowed to do, although it calls that a success", () => {
    const denied = `"permission_denials":[{"tool_name":"Bash","tool_use_id":"toolu_1_2","tool_input":{"command":"npm test -- --foo","description":"x"}},{"tool_name":"Write","tool_use_id":"toolu_2_1","tool_input":{"file_path":"/outside.txt","content":"x"}}]`;
    const { reader, said } = read(lines.result.replace(`"permission_denials":[]`, denied));
    expect(reader.ending().denials).toEqual(["Bash: npm test -- --foo", "Write: /outside.txt"]);
    expect(said.at(-1)).toMatchObject({ type: "finished", ok: true });
  });

  it("knows the conversation also where it was not begun", () => {
    const missing = `{"type":"result","subtype":"error_during_execution","duration_ms":0,"duration_api_ms":0,"is_error":true,"num_turns":0,"stop_reason":null,"session_id":"${id}","total_cost_usd":0,"usage":{},"modelUsage":{},"permission_denials":[],"errors":["No conversation found with session ID: ${id}"]}`;
    const { reader, said } = read(missing);
    const message = `No conversation found with session ID: ${id}`;
    expect(said).toEqual([{ type: "finished", ok: false, message }]);
    expect(reader.ending()).toMatchObject({
      complete: true,
      session: id,
      error: { type: null, status: null, message, until: null },
    });
  });

  it("says that it was resumed", () => {
    const reader = new ClaudeReader({ ...task, session: { kind: "resumed", id } });
    expect(reader.line(lines.init)).toMatchObject([{ type: "started", resumed: true }]);
  });
});
