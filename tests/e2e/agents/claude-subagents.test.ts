import { randomUUID } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { drivers, runAgent } from "@opentiger/agents";
import { HostBackend, openState } from "@opentiger/sandbox";
import type { AgentEvent } from "@opentiger/schema";
import { expect, it } from "vitest";
import { z } from "zod";
import { atEnd } from "../../setup/at-end.ts";
import { hostAgents } from "../../setup/host-agents.ts";
import { temporaryFolder } from "../../setup/temporary-workspace.ts";

const honest = "Every commit message is a haiku, canary 4711.";
const asked = z.object({ model: z.string(), messages: z.array(z.object({ content: z.unknown() })) });

/** A model that starts another agent, which says one word; it has no gateway in front of it. */
async function startModel(): Promise<{ url: string; bodies: string[] }> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (data: Buffer) => (body += data.toString()));
    request.on("end", () => {
      if (request.method !== "POST") return void response.end();
      bodies.push(body);
      const { model, messages } = asked.parse(JSON.parse(body));
      const input = { description: "look", prompt: "the part of another", subagent_type: "general-purpose" };
      const call: Block = { type: "tool_use", id: "toolu_1", name: "Agent", input };
      const said = JSON.stringify(messages);
      const begins = !said.includes("the part of another");
      reply(response, model, bodies.length, begins ? call : { type: "text", text: "Done." });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(() => server.close());
  // A server that listens on a port has an address with one.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies };
}

type Block = { type: "text"; text: string } | { type: "tool_use"; id: string; name: string; input: object };

function reply(response: ServerResponse, model: string, number: number, block: Block): void {
  const isCall = block.type === "tool_use";
  const usage = { input_tokens: 100, output_tokens: 1 };
  const message = { id: `msg_${number}`, type: "message", role: "assistant", model, content: [], usage };
  const delta = isCall
    ? { type: "input_json_delta", partial_json: JSON.stringify(block.input) }
    : { type: "text_delta", text: block.text };
  const events = [
    { type: "message_start", message },
    {
      type: "content_block_start",
      index: 0,
      content_block: isCall ? { ...block, input: {} } : { type: "text", text: "" },
    },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: isCall ? "tool_use" : "end_turn" },
      usage: { output_tokens: 10 },
    },
    { type: "message_stop" },
  ];
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
}

it("the project's instructions reach an agent that Claude Code starts itself, and its tokens are counted", async () => {
  const { url, bodies } = await startModel();
  const home = temporaryFolder("ot-");
  const cwd = temporaryFolder("opentiger-ws-");
  const backend = new HostBackend(openState(home));
  atEnd(() => backend.reset());
  const workspaces = [{ path: cwd, readOnly: false }];
  const sandbox = await backend.create({ name: "claude-host", agent: "claude", workspaces });
  atEnd(() => sandbox.close());
  const run = await runAgent({
    id: randomUUID(),
    driver: drivers.claude_code,
    sandbox,
    cwd,
    env: {
      PATH: `${await hostAgents()}:${process.env["PATH"]}`,
      HOME: home,
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "key",
    },
    transcript: join(home, "transcript"),
    task: {
      prompt: "Please start another agent.",
      model: "claude-sonnet-4-5",
      instructions: [{ path: "CLAUDE.md", text: honest }],
      projectSettings: "ignored",
      permissions: { kind: "full" },
      session: { kind: "new", id: randomUUID() },
    },
  });
  const events: AgentEvent[] = [];
  for await (const event of run.events) events.push(event);
  const outcome = await run.outcome;
  expect(outcome).toMatchObject({ ok: true, lastText: "Done." });
  expect(events).toContainEqual(
    expect.objectContaining({ type: "tool_call", tool: "Agent", kind: "other", summary: "look" }),
  );
  expect(bodies.map((body) => body.split("canary 4711").length - 1)).toEqual([1, 1, 1]);
  expect(outcome.cli.tokens).toEqual({ input: 300, output: 30, cacheRead: 0, cacheWrite: 0 });
});
