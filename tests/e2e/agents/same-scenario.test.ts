import { relative, resolve } from "node:path";
import type { AgentTool } from "@opentiger/agents";
import {
  editFile,
  finish,
  type ModelSim,
  readFile,
  runCommand,
  type SessionReport,
  say,
  startModelSim,
  think,
  writeFile,
} from "@opentiger/model-sim";
import type { AgentEvent, TokenCount } from "@opentiger/schema";
import { beforeAll, describe, expect, it } from "vitest";
import { placeNames, type Ran, testedAgents } from "../../setup/agent-place.ts";
import { type AgentWorld, agentWorld, apiKeys } from "../../setup/agent-world.ts";
import { atEnd } from "../../setup/at-end.ts";
import { filesIn } from "../../setup/files-in.ts";
import { soak } from "../../setup/soak.ts";

const before = {
  "src/greeting.mjs": "export const greeting = 'Hello';\n",
  "test.mjs": [
    "import { greeting } from './src/greeting.mjs';",
    "const works = greeting === 'Hello, world';",
    "console.log(works ? 'the tests pass' : 'the tests fail');",
    "process.exitCode = works ? 0 : 3;\n",
  ].join("\n"),
};
const after = {
  "src/greeting.mjs": "export const greeting = 'Hello, world';\n",
  "test.mjs": before["test.mjs"],
  "docs/greeting.md": "# Greeting\n\nIt greets the world.\n",
};
const steps = [
  think(10, "The greeting lacks the world."),
  readFile("src/greeting.mjs"),
  say("First the tests."),
  runCommand("node test.mjs"),
  editFile("src/greeting.mjs", "'Hello'", "'Hello, world'"),
  writeFile("docs/greeting.md", after["docs/greeting.md"]),
  runCommand("node test.mjs"),
  finish("The greeting greets the world."),
];

/** What every CLI has to tell of these steps. */
const story = [
  "started",
  "thinking: The greeting lacks the world.",
  "reads src/greeting.mjs: well",
  "text: First the tests.",
  "runs node test.mjs: status 3, the tests fail",
  "edits src/greeting.mjs: well",
  "modified: src/greeting.mjs",
  "edits docs/greeting.md: well",
  "added: docs/greeting.md",
  "runs node test.mjs: status 0, the tests pass",
  "text: The greeting greets the world.",
  "finished well",
];

let sim: ModelSim;
let world: AgentWorld;

beforeAll(async () => {
  sim = await startModelSim({ scenario: { steps }, credentials: Object.values(apiKeys) });
  atEnd(() => sim.close());
  world = await agentWorld(sim.url);
});

/** OpenCode takes ten times as long to start; what it does on the host is seen where it is tested alone. */
const runs = testedAgents
  .flatMap((agent) => placeNames.map((where) => ({ agent, where })))
  .filter(({ agent, where }) => soak || agent !== "opencode" || where === "docker");

describe("A12 an agent with an API key", () => {
  it.each(runs)(
    "$agent, $where: reads, edits and runs the tests; tree, events and tokens are those of every other",
    async ({ agent, where }) => {
      const place = await world.place(agent, where);
      const cwd = place.project("greeting", before);
      const tools: AgentTool[] = ["read", "edit", "command"];
      const task = { systemPrompt: "You greet politely, canary 4713.", tools };
      const ran = await place.run(cwd, { ...task, prompt: "Please let the greeting greet the world." });
      expect(ran.outcome).toMatchObject({
        ok: true,
        lastText: "The greeting greets the world.",
        denials: [],
      });
      expect(filesIn(cwd)).toEqual(after);
      expect(storyOf(ran.events, cwd)).toEqual(story);
      const seen = sim.sessions().find(({ key }) => key === ran.outcome.session);
      expect(seen).toMatchObject({ problems: [], prefixKept: true });
      expectTokens(ran, seen);
      expect(ran.outcome.cli.usd === null).toBe(agent === "codex");
      const asked = sim.requests.filter(({ session }) => session === seen?.key);
      const key = agent === "codex" ? `Bearer ${apiKeys.OPENAI_API_KEY}` : apiKeys.ANTHROPIC_API_KEY;
      expect(asked.map(({ auth }) => auth)).toEqual(asked.map(() => key));
      const main = asked.filter(({ tools }) => tools.length > 0);
      expect(main.filter(({ body }) => body.split("canary 4713").length !== 2)).toEqual([]);
      if (agent !== "codex") expect(main.flatMap(({ tools }) => tools).filter(isWithheld)).toEqual([]);
    },
  );
});

/** Tools for the web, and for other agents. Codex is asked in words to do without. */
function isWithheld(tool: string): boolean {
  return /^(?:web|agent$|task$)/i.test(tool);
}

/** What happened, in the same words for every CLI. When usage is told differs; its sum does not. */
function storyOf(events: readonly AgentEvent[], cwd: string): string[] {
  const results = new Map(
    events.flatMap((event) => (event.type === "tool_result" ? [[event.id, event] as const] : [])),
  );
  return events.flatMap((event) => wordsOf(event, results, cwd) ?? []);
}

/** undefined for what differs. */
function wordsOf(
  event: AgentEvent,
  results: ReadonlyMap<string, EventOf<"tool_result">>,
  cwd: string,
): string | undefined {
  switch (event.type) {
    case "text":
    case "thinking":
      return `${event.type}: ${event.text}`;
    case "tool_call":
      return `${callWords(event, cwd)}: ${resultWords(event, results.get(event.id))}`;
    case "file_change":
      return `${event.change}: ${relative(cwd, resolve(cwd, event.path))}`;
    case "started":
      return "started";
    case "finished":
      return event.ok ? "finished well" : `finished badly: ${event.message}`;
    default:
      return undefined;
  }
}

/** Codex has no tool for reading: a command does it. */
const reading = /^cat -- '(.*)'$/;

function callWords({ kind, summary }: EventOf<"tool_call">, cwd: string): string {
  const read = kind === "command" ? reading.exec(summary)?.[1] : undefined;
  if (read !== undefined) return `reads ${read}`;
  return kind === "command" ? `runs ${summary}` : `${kind}s ${relative(cwd, resolve(cwd, summary))}`;
}

function resultWords(
  { kind, summary }: EventOf<"tool_call">,
  result: EventOf<"tool_result"> | undefined,
): string {
  if (!result) return "no result";
  if (kind !== "command" || reading.test(summary)) return result.ok ? "well" : `badly, ${result.output}`;
  return `status ${result.exitCode}, ${result.output.trim().split("\n").at(-1)}`;
}

type EventOf<Type extends AgentEvent["type"]> = Extract<AgentEvent, { type: Type }>;

/** The CLI tells what its conversation used; the gateway also what the CLI asked beside it. */
function expectTokens({ events, outcome }: Ran, seen: SessionReport | undefined): void {
  const { main, side, cut } = seen?.sent ?? {};
  expect(main?.output).toBeGreaterThan(0);
  expect(cut).toMatchObject({ input: 0, output: 0 });
  expect(outcome.cli.tokens).toEqual(main);
  expect(sumOf(events.flatMap((event) => (event.type === "usage" ? [event.tokens] : [])))).toEqual(main);
  expect(outcome.gateway?.tokens).toMatchObject(sumOf([main, side].filter((each) => each !== undefined)));
  const requests = sim.requests.filter(({ session }) => session === seen?.key);
  expect(outcome.gateway?.requests).toBe(requests.length);
  expectWords(outcome, requests.filter(({ side }) => !side).length);
}

/** What the CLI says of it beside the gateway, which counts. Codex tells neither price nor turns. */
function expectWords({ cli, gateway, turns }: Ran["outcome"], requests: number): void {
  expect(gateway?.usd).toBeGreaterThan(0);
  if (cli.usd === null) return expect(turns).toBeNull();
  expect(turns).toBe(requests);
  expect(cli.usd).toBeCloseTo(gateway?.usd ?? 0, 6);
}

function sumOf(counts: readonly TokenCount[]): TokenCount {
  const sum = (name: keyof TokenCount) => counts.reduce((all, each) => all + each[name], 0);
  return {
    input: sum("input"),
    output: sum("output"),
    cacheRead: sum("cacheRead"),
    cacheWrite: sum("cacheWrite"),
  };
}
