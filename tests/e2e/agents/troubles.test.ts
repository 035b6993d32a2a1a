import { type AddressInfo, createServer } from "node:net";
import type { AgentOutcome } from "@opentiger/agents";
import { type ModelSim, startModelSim, whenPrompt } from "@opentiger/model-sim";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AgentPlace, type PlaceName, type TestedAgent, testedAgents } from "../../setup/agent-place.ts";
import { type AgentWorld, agentWorld, apiKeys } from "../../setup/agent-world.ts";
import { atEnd } from "../../setup/at-end.ts";
import { atOnce } from "../../setup/at-once.ts";
import { covering } from "../../setup/covering.ts";
import { type Trouble, troubles } from "./trouble-list.ts";

interface Case {
  agent: TestedAgent;
  where: PlaceName;
  trouble: Trouble;
}

/** For all of them: who comes last waits for the others, and OpenCode is patient for more than a minute. */
const timeoutMs = 600_000;

/** More than there are cores where a CLI waits most of the time; else more would only be in each other's way. */
const patientAtOnce = 8;
const busyAtOnce = 2;

/** What is seen on the host as well; why a run failed is found in the same way there. */
const onHost = ["429 for an hour", "401", "words of a test"];

/** Each trouble once, but for the full table: with Codex where a CLI waits, which gives up soonest. */
const cases: Case[] = [
  ...casesOf("docker", ({ patience }) => patience === true, ["codex"]),
  ...casesOf("docker", ({ patience }) => !patience, ["claude_code", "codex", "opencode", "codex"]),
  ...casesOf("host", ({ name }) => onHost.includes(name), ["codex", "opencode", "claude_code"]),
];

function casesOf(where: PlaceName, which: (trouble: Trouble) => boolean, turns: TestedAgent[]): Case[] {
  const chosen = covering(troubles.filter(which), testedAgents, turns);
  return chosen.map(([trouble, agent]) => ({ agent, where, trouble }));
}

let sim: ModelSim;
let world: AgentWorld;
let deserted: AgentWorld;
const outcomes = new Map<Case, Promise<AgentOutcome>>();
const endings = new Map<Case, string>();

beforeAll(async () => {
  const scenarioFor = troubles.map(({ name, steps }) => whenPrompt(promptOf(name), { steps }));
  sim = await startModelSim({ scenarioFor, credentials: Object.values(apiKeys) });
  atEnd(() => sim.close());
  world = await agentWorld(sim.url);
  deserted = await agentWorld(`http://127.0.0.1:${await closedPort()}`);
  const [patiently, busily] = [atOnce(patientAtOnce), atOnce(busyAtOnce)];
  for (const each of cases.toSorted((a, b) => slowness(b) - slowness(a))) {
    const outcome = (each.trouble.patience ? patiently : busily)(() => meet(each));
    outcome.catch(() => {}); // Its test tells it.
    outcomes.set(each, outcome);
  }
});

afterAll(() => console.log(table()));

describe.each(testedAgents)("a run of %s whose model makes trouble", (agent) => {
  it.each(
    cases
      .filter((each) => each.agent === agent)
      .map((each) => [each.where, each.trouble.name, each.trouble.ends, each] as const),
  )(
    "%s, %s: %s",
    async (_where, name, ends, each) => {
      const outcome = await outcomes.get(each);
      const failure = outcome?.ok === false ? outcome.failure : undefined;
      const type = failure?.type ?? "success";
      endings.set(each, `${type}, ${((outcome?.durationMs ?? 0) / 1000).toFixed(1)} s`);
      expect({ type, failure }).toMatchObject({ type: ends });
      if (!each.trouble.unreachable) expect(wasAsked(each)).toBe(true);
      if (name === "429 for an hour") expectAnHour(failure?.until ?? null);
    },
    timeoutMs,
  );
});

/** Those that take longest begin first. */
function slowness({ agent }: Case): number {
  return ["codex", "claude_code", "opencode"].indexOf(agent);
}

async function meet({ agent, where, trouble }: Case): Promise<AgentOutcome> {
  const { name, unreachable, task, more } = trouble;
  const from = unreachable ? deserted : world;
  const place = takePlace(from, agent, where) ?? (await from.place(agent, where));
  const cwd = place.project(name.replaceAll(/\W+/g, "-"), { "notes.txt": "a note\n" });
  const { outcome } = await place.run(cwd, { prompt: promptOf(name), ...task }, more);
  unused.push({ from, place });
  return outcome;
}

const unused: { from: AgentWorld; place: AgentPlace }[] = [];

/** A place has one run at a time; which one it had before makes no difference. */
function takePlace(from: AgentWorld, agent: TestedAgent, where: PlaceName): AgentPlace | undefined {
  const index = unused.findIndex(
    ({ from: its, place }) => its === from && place.agent === agent && place.name === where,
  );
  return index === -1 ? undefined : unused.splice(index, 1)[0]?.place;
}

function promptOf(name: string): string {
  return `Please meet this: ${name}.`;
}

function wasAsked({ agent, trouble }: Case): boolean {
  const api = agent === "codex" ? "openai" : "anthropic";
  return sim.requests.some((each) => each.api === api && each.body.includes(promptOf(trouble.name)));
}

/** Nobody listens there. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The gateway knows when the quota is there again. */
function expectAnHour(until: string | null): void {
  const minutes = (Date.parse(until ?? "") - Date.now()) / 60_000;
  expect(minutes).toBeGreaterThan(50);
  expect(minutes).toBeLessThanOrEqual(60);
}

/** What each came to, and after how long. */
function table(): string {
  const rows = cases
    .filter((each, index) => cases.findIndex((other) => isOneRow(each, other)) === index)
    .map(({ where, trouble }) => {
      const words = testedAgents.map((agent) => {
        const its = cases.find(
          (each) => each.agent === agent && each.where === where && each.trouble === trouble,
        );
        return (its && endings.get(its)) ?? "–";
      });
      return `| ${where} | ${trouble.name} | ${words.join(" | ")} |`;
    });
  return [`| where | trouble | ${testedAgents.join(" | ")} |`, "|---|---|---|---|---|", ...rows].join("\n");
}

function isOneRow(one: Case, other: Case): boolean {
  return one.where === other.where && one.trouble === other.trouble;
}
