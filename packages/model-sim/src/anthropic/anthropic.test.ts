import { afterEach, describe, expect, test } from "vitest";
import { claudeTools, post } from "../fixture/plain-client.ts";
import { closeAll, started } from "../fixture/started-sim.ts";
import {
  answer,
  contextTooLong,
  rateLimit,
  runCommand,
  say,
  serverError,
  think,
  unauthorized,
} from "../index.ts";

afterEach(closeAll);

const question = {
  model: "claude-sonnet-5",
  max_tokens: 1000,
  system: [{ type: "text", text: "Working directory: /project" }],
  messages: [
    { role: "user", content: [{ type: "text", text: "hello", cache_control: { type: "ephemeral" } }] },
  ],
  tools: claudeTools,
  stream: true,
};

async function ask(url: string, changes: object = {}) {
  return post(url, "/v1/messages?beta=true", { ...question, ...changes });
}

describe("Anthropic's Messages", () => {
  test("stream thoughts, words and a tool call in the order of the scenario", async () => {
    const sim = await started({ scenario: { steps: [think(1, "Hm."), say("I run it."), runCommand("ls")] } });
    const { events, headers } = await ask(sim.url);
    expect(headers.get("content-type")).toContain("text/event-stream");
    const block = ["content_block_start", "content_block_delta", "content_block_delta", "content_block_stop"];
    expect(events.map(({ type }) => type).filter((type) => type !== "ping")).toEqual([
      "message_start",
      ...block,
      ...block,
      ...block,
      "message_delta",
      "message_stop",
    ]);
    const deltas = events.flatMap((event) => (event.type === "content_block_delta" ? [event["delta"]] : []));
    expect(deltas).toMatchObject([
      { type: "thinking_delta", thinking: "Hm." },
      { type: "signature_delta" },
      { type: "text_delta", text: "I run" },
      { type: "text_delta", text: " it." },
      { type: "input_json_delta" },
      { type: "input_json_delta" },
    ]);
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: "tool_use" }, usage: { input_tokens: 100 } });
  });

  test("say the same in one piece, with the same id and usage", async () => {
    const sim = await started({ scenario: { steps: [say("Hello."), runCommand("ls")] } });
    const [{ events }, { text }] = [await ask(sim.url), await ask(sim.url, { stream: false })];
    const whole = JSON.parse(text);
    expect(whole).toMatchObject({
      type: "message",
      role: "assistant",
      model: "claude-sonnet-5",
      stop_reason: "tool_use",
      content: [
        { type: "text", text: "Hello." },
        { type: "tool_use", name: "Bash", input: { command: "ls", description: "Run a command" } },
      ],
    });
    expect(events[0]).toMatchObject({ message: { id: whole.id } });
    expect(events.at(-2)).toMatchObject({ usage: whole.usage });
  });

  test("answer by the tool that stands for a form, made from its schema where no value is given", async () => {
    const input_schema = {
      type: "object",
      properties: {
        verdict: { enum: ["pass", "fail"] },
        notes: { type: "array", items: { type: "string" } },
      },
      required: ["verdict", "notes"],
    };
    const tools = [...claudeTools, { name: "StructuredOutput", input_schema }];
    const sim = await started({ scenario: { steps: [answer(), say("And more.")] } });
    const first = JSON.parse((await ask(sim.url, { tools, stream: false })).text);
    expect(first.content).toMatchObject([
      { type: "tool_use", name: "StructuredOutput", input: { verdict: "pass", notes: [] } },
    ]);
    const result = { type: "tool_result", tool_use_id: first.content[0].id, content: "taken" };
    const messages = [
      ...question.messages,
      { role: "assistant", content: first.content },
      { role: "user", content: [result] },
    ];
    expect((await ask(sim.url, { messages, stream: false })).text).toContain("Done.");
    const next = [...messages, { role: "user", content: "go on" }];
    expect((await ask(sim.url, { messages: next, stream: false })).text).toContain("And more.");
  });

  test("tell of troubles in their own words", async () => {
    const steps = [
      rateLimit({ resetSeconds: 90 }),
      unauthorized(),
      serverError(),
      contextTooLong(),
      say("Done."),
    ];
    const sim = await started({ scenario: { steps } });
    const [limit, auth, server, context] = [
      await ask(sim.url),
      await ask(sim.url),
      await ask(sim.url),
      await ask(sim.url),
    ];
    const types = [limit, auth, server, context].map(({ text }) => JSON.parse(text).error.type);
    expect(types).toEqual(["rate_limit_error", "authentication_error", "api_error", "invalid_request_error"]);
    expect(context.text).toContain("prompt is too long");
    expect(limit.headers.get("retry-after")).toBe("90");
    const reset = Number(limit.headers.get("anthropic-ratelimit-unified-reset")) - Date.now() / 1000;
    expect(reset).toBeGreaterThan(85);
    expect(reset).toBeLessThan(92);
  });

  test("refuse a tool call without its result, as the real one does, and take no step for it", async () => {
    const sim = await started({ scenario: { steps: [runCommand("ls"), say("Done.")] } });
    const call = { type: "tool_use", id: "call_0_0_00000000", name: "Bash", input: {} };
    const messages = [
      ...question.messages,
      { role: "assistant", content: [call] },
      { role: "user", content: "go on" },
    ];
    const { status, text } = await ask(sim.url, { messages });
    expect({ status, text }).toMatchObject({ status: 400, text: expect.stringContaining(call.id) as string });
    expect(sim.problems[0]).toContain(call.id);
  });

  test("count tokens, and list models", async () => {
    const sim = await started({ models: ["claude-sonnet-5"] });
    const counted = (body: object) => post(sim.url, "/v1/messages/count_tokens", body);
    expect((await counted(question)).text).toBe('{"input_tokens":1100}');
    const said = [
      { role: "assistant", content: "Hello." },
      { role: "user", content: "go on" },
    ];
    const longer = { ...question, messages: [...question.messages, ...said] };
    expect((await counted(longer)).text).toBe('{"input_tokens":1300}');
    const headers = { "anthropic-version": "2023-06-01", "x-api-key": "key" };
    const list = await (await fetch(`${sim.url}/v1/models`, { headers })).json();
    expect(list).toMatchObject({ data: [{ type: "model", id: "claude-sonnet-5" }], has_more: false });
  });

  test("leave alone what is asked beside the conversation", async () => {
    const sim = await started({ scenario: { steps: [say("Done.")] } });
    const title = { system: "You are a title generator. You output ONLY a thread title.", tools: [] };
    expect((await ask(sim.url, title)).events.at(-1)).toMatchObject({ type: "message_stop" });
    const schema = { type: "object", properties: { title: { type: "string" } }, required: ["title"] };
    const formed = { ...title, output_config: { format: { type: "json_schema", schema } }, stream: false };
    expect(JSON.parse((await ask(sim.url, formed)).text).content).toEqual([
      { type: "text", text: '{"title":"text"}' },
    ]);
    expect((await ask(sim.url, { stream: false })).text).toContain("Done.");
    expect(sim.requests.map(({ side }) => side)).toEqual([true, true, false]);
    expect(sim.sent).toMatchObject({ main: { cacheWrite: 1000 }, side: { cacheWrite: 2000 } });
    expect(sim.problems).toEqual([]);
  });

  test("go on where they were after a conversation was made shorter", async () => {
    const sim = await started({ scenario: { steps: [runCommand("ls"), contextTooLong(), say("Done.")] } });
    const first = JSON.parse((await ask(sim.url, { stream: false })).text);
    const result = { type: "tool_result", tool_use_id: first.content[0].id, content: "a.txt" };
    const messages = [
      ...question.messages,
      { role: "assistant", content: first.content },
      { role: "user", content: [result] },
    ];
    const headers = { "x-api-key": "key" };
    const later = { ...question, stream: false, metadata: { user_id: '{"session_id":"s"}' } };
    await post(sim.url, "/v1/messages", later, headers);
    expect((await post(sim.url, "/v1/messages", { ...later, messages }, headers)).status).toBe(400);
    const shorter = [{ role: "user", content: "This session is being continued." }];
    expect((await post(sim.url, "/v1/messages", { ...later, messages: shorter }, headers)).text).toContain(
      "Done.",
    );
  });
});
