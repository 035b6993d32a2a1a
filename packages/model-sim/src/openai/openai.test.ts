import { afterEach, describe, expect, test } from "vitest";
import { post } from "../fixture/plain-client.ts";
import { closeAll, started } from "../fixture/started-sim.ts";
import {
  answer,
  contextTooLong,
  finish,
  overloaded,
  proseInsteadOfAnswer,
  rateLimit,
  refusal,
  runCommand,
  say,
  serverError,
  think,
  unauthorized,
} from "../index.ts";

afterEach(closeAll);

const user = (text: string) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] });
const shell = { type: "function", name: "exec_command", parameters: { properties: { cmd: {} } } };
const question = { model: "gpt-5.5", input: [user("hello")], tools: [shell], stream: true };

async function ask(url: string, changes: object = {}, path = "/v1/responses") {
  return post(url, path, { ...question, ...changes }, { authorization: "Bearer key" });
}

describe("OpenAI's Responses", () => {
  test("stream thoughts, words and a call in the order of the scenario, numbered", async () => {
    const sim = await started({ scenario: { steps: [think(1, "Hm."), say("I run it."), runCommand("ls")] } });
    const { events } = await ask(sim.url);
    const numbered = events.filter(({ type }) => type !== "keepalive");
    expect(numbered.map((event) => event["sequence_number"])).toEqual(numbered.map((_, index) => index));
    expect(events.map(({ type }) => type).filter((type) => /created|item|completed/.test(type))).toEqual([
      "response.created",
      ...Array(3).fill(["response.output_item.added", "response.output_item.done"]).flat(),
      "response.completed",
    ]);
    expect(events.at(-1)).toMatchObject({
      response: {
        status: "completed",
        output: [
          { type: "reasoning", summary: [{ text: "Hm." }] },
          { type: "message", content: [{ type: "output_text", text: "I run it." }] },
          { type: "function_call", name: "exec_command" },
        ],
        usage: { input_tokens: 1100, input_tokens_details: { cached_tokens: 0, cache_write_tokens: 1000 } },
      },
    });
  });

  test("say the same in one piece, and where ChatGPT is", async () => {
    const sim = await started({ scenario: { steps: [say("Hello.")] } });
    const { events } = await ask(sim.url);
    expect(JSON.parse((await ask(sim.url, { stream: false }, "/responses")).text)).toEqual(
      events.at(-1)?.["response"],
    );
  });

  test("call a tool that takes plain text, in its namespace", async () => {
    const exec = { type: "custom", name: "exec", format: { type: "grammar" } };
    const tools = {
      type: "additional_tools",
      role: "developer",
      tools: [{ type: "namespace", name: "functions", tools: [exec] }],
    };
    const sim = await started({ scenario: { steps: [runCommand("ls"), finish()] } });
    const { events } = await ask(sim.url, { tools: [], input: [tools, user("hello")] });
    expect(events.at(-1)).toMatchObject({
      response: { output: [{ type: "custom_tool_call", name: "exec", namespace: "functions" }] },
    });
  });

  test("go on with a call's result, of either kind", async () => {
    const sim = await started({ scenario: { steps: [runCommand("ls"), say("Done.")] } });
    const { events } = await ask(sim.url);
    const [call] = JSON.parse(JSON.stringify(events.at(-1)?.["response"])).output;
    const result = { type: "function_call_output", call_id: call.call_id, output: "a.txt" };
    const { text } = await ask(sim.url, { stream: false, input: [user("hello"), call, result] });
    expect(JSON.parse(text)).toMatchObject({ output: [{ content: [{ text: "Done." }] }] });
    expect(sim.requests.at(-1)?.toolResults).toMatchObject([{ text: "a.txt" }]);
    expect(sim.sessions()).toMatchObject([{ prefixKept: true, problems: [] }]);
  });

  test("do not take a CLI's surroundings for the user's words", async () => {
    const sim = await started({ scenario: { steps: [say("Done.")] } });
    const cwd = "<environment_context>\n  <cwd>/project</cwd>\n</environment_context>";
    await ask(sim.url, { input: [user("# AGENTS.md instructions for /project"), user(cwd), user("hello")] });
    expect(sim.sessions()[0]).toMatchObject({
      prompts: ["hello"],
      opening: { prompt: "hello", system: expect.stringContaining("<cwd>") as string },
    });
  });

  describe("asked for a form", () => {
    const schema = {
      type: "object",
      properties: { pass: { type: "boolean" } },
      required: ["pass"],
      additionalProperties: false,
    };
    const text = (value: object) => ({
      text: { format: { type: "json_schema", strict: true, schema: value } },
    });

    test("answer in it, or in prose, as the scenario has it", async () => {
      const sim = await started({
        scenario: { steps: [proseInsteadOfAnswer("Fine."), answer({ pass: true })] },
      });
      const first = JSON.parse((await ask(sim.url, { ...text(schema), stream: false })).text);
      expect(first.output[0].content[0].text).toBe("Fine.");
      const input = [user("hello"), first.output[0], user("in the form, please")];
      const second = JSON.parse((await ask(sim.url, { ...text(schema), stream: false, input })).text);
      expect(second.output[0].content[0].text).toBe('{"pass":true}');
    });

    test("refuse one that is not strict", async () => {
      const sim = await started({ scenario: { steps: [answer()] } });
      const { required: _, ...loose } = schema;
      const answers = [
        await ask(sim.url, text(loose)),
        await ask(sim.url, text({ ...schema, additionalProperties: true })),
        await ask(sim.url, text({ ...schema, properties: { pass: { type: "object", properties: {} } } })),
        await ask(sim.url, text(schema)),
      ];
      expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 200]);
      expect(answers[2]?.text).toContain("context=('pass',)");
    });
  });

  test("tell of troubles in their own words", async () => {
    const steps = [rateLimit({ resetSeconds: 90 }), rateLimit(), unauthorized(), serverError(), overloaded()];
    const sim = await started({ scenario: { steps } });
    const answers = [];
    for (const _ of steps) answers.push(await ask(sim.url));
    expect(answers.map(({ status, text }) => [status, JSON.parse(text).error.code])).toEqual([
      [429, "usage_limit_reached"],
      [429, "rate_limit_exceeded"],
      [401, "invalid_api_key"],
      [500, "server_error"],
      [503, "server_is_overloaded"],
    ]);
    expect(JSON.parse(answers[0]?.text ?? "")).toMatchObject({ error: { resets_in_seconds: 90 } });
    expect(answers[0]?.headers.get("retry-after")).toBe("90");
  });

  test("find out in the stream that a context is too long, or a prompt not right", async () => {
    const sim = await started({ scenario: { steps: [contextTooLong(), refusal(), say("Done.")] } });
    const codes = [await ask(sim.url), await ask(sim.url)].map(({ events }) => events.at(-1));
    expect(codes).toMatchObject([
      { type: "response.failed", response: { error: { code: "context_length_exceeded" } } },
      { type: "response.failed", response: { error: { code: "invalid_prompt" } } },
    ]);
    expect(sim.sent.main).toEqual({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0 });
  });

  test("list models, also where ChatGPT is", async () => {
    const sim = await started({ models: ["gpt-5.5"] });
    for (const path of ["/v1/models", "/models?client_version=1"])
      expect(await (await fetch(`${sim.url}${path}`)).json()).toMatchObject({ data: [{ id: "gpt-5.5" }] });
  });
});
