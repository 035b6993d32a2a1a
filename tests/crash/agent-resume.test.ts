import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { adoptAgent, type RunRequest } from "@opentiger/agents";
import { finish, type ModelSim, runCommand, silence, startModelSim, whenPrompt } from "@opentiger/model-sim";
import { type AgentEvent, agentEvent } from "@opentiger/schema";
import { beforeAll, describe, expect, test } from "vitest";
import type { z } from "zod";
import { type AgentPlace, placeNames, testedAgents } from "../setup/agent-place.ts";
import { type AgentWorld, agentWorld } from "../setup/agent-world.ts";
import { atEnd } from "../setup/at-end.ts";
import { bundledProgram } from "../setup/bundled-program.ts";
import { covering } from "../setup/covering.ts";
import { filesIn } from "../setup/files-in.ts";
import { runIn } from "../setup/place.ts";
import { soak } from "../setup/soak.ts";
import { seldomMs, until } from "../setup/until.ts";
import type { followed } from "./agent-follower.ts";

const program = await bundledProgram(new URL("./agent-follower.ts", import.meta.url));

/** Time to see that the model's answer is awaited and to kill who follows, also on a machine that does many other things. */
const silenceMs = 10_000;
/** A net: OpenCode takes half a minute to its second request where three others are killed and started beside it. */
const busyMs = 180_000;

let sim: ModelSim;
let world: AgentWorld;

beforeAll(async () => {
  const first = runCommand("echo one > one.txt; printf 'told-%s' back");
  sim = await startModelSim({
    scenarioFor: [
      whenPrompt("be orphaned", {
        steps: [first, silence(silenceMs), runCommand("echo two > two.txt"), finish("Done at last.")],
      }),
      whenPrompt("be killed", { steps: [first, silence(), finish("Done at last.")] }),
    ],
  });
  atEnd(() => sim.close());
  world = await agentWorld(sim.url);
});

const sessionOf = (id: string | null) => sim.sessions().find(({ key }) => key === id);
const askedFor = (words: string) =>
  sim.sessions().find(({ opening, prompts }) => opening !== undefined && prompts[0]?.includes(words));

/** Who is orphaned goes on in the same way whoever it is; who is killed is resumed in a way of its own. */
const orphans = soak ? testedAgents : testedAgents.filter((agent) => agent !== "opencode");
const orphaned = covering(orphans, placeNames, ["host", "docker"]);
const resumed = covering(testedAgents, placeNames, ["docker", "host", "docker"]);

describe("an agent in the middle of a request to its model", () => {
  test.concurrent.each(orphaned)(
    "goes on when kill -9 takes the process that follows it, and the next one hears the rest: %s, %s",
    async (agent, where) => {
      const place = await world.place(agent, where);
      const id = randomUUID();
      const cwd = place.project("orphaned");
      const prompt = `You will be orphaned as ${id}.`;
      const request = await place.request(cwd, { prompt }, { id });
      const heard = join(world.home, `${id}.heard`);
      const follower = startFollower(place, request, heard);
      await until("the model is silent", () => askedFor(id)?.requests === 2, busyMs);
      await until("what came before was heard", () => toldBack(eventsIn(heard)), busyMs);
      follower.kill("SIGKILL");
      await once(follower, "exit");
      expect(askedFor(id)?.requests).toBe(2);
      const before = eventsIn(heard);
      const run = await adoptAgent({ ...request, after: before.length });
      const after: AgentEvent[] = [];
      for await (const event of run.events) after.push(event);
      const outcome = await run.outcome;
      expect(outcome).toMatchObject({ ok: true, lastText: "Done at last." });
      expect(filesIn(cwd)).toEqual({ "one.txt": "one\n", "two.txt": "two\n" });
      expect([...before, ...after].map(({ seq }) => seq)).toEqual(
        Array.from({ length: outcome.events }, (_, index) => index + 1),
      );
      const seen = sessionOf(outcome.session);
      expect(seen).toMatchObject({ requests: 3, prefixKept: true, problems: [], prompts: [prompt] });
      expect(outcome.cli.tokens).toEqual(seen?.sent.main);
      expect(outcome.gateway?.tokens).toMatchObject({ ...seen?.sent.main });
      await request.gateway.end();
    },
  );

  test.concurrent.each(resumed)(
    "is resumed after kill -9 in a new sandbox, and its model sees the same beginning: %s, %s",
    async (agent, where) => {
      const place = await world.place(agent, where);
      const { sandbox, sessions, workspace, backend } = place;
      const cwd = place.project("killed");
      const first = await place.start(cwd, { prompt: "You will be killed." }, { sessions });
      await until("the model is silent", () => sessionOf(first.session)?.requests === 2, busyMs);
      await until("what came before is written down", () => isWrittenDown(place, first.id), busyMs, seldomMs);
      const [exec] = (await sandbox.execs()).filter(({ id }) => id === first.execId);
      await runIn(sandbox, ["kill", "-9", String(exec?.pid)]);
      const killed = await first.outcome;
      expect(killed).toMatchObject({ ok: false, failure: { type: "crash" }, sessionKept: true });
      const used = sessionOf(killed.session)?.sent.main;
      await sandbox.close();
      await backend.remove(sandbox.name);
      const next = await world.place(agent, where, workspace);
      const prompt = "Go on where you were.";
      const session = { kind: "resumed", id: killed.session ?? "" } as const;
      const { outcome, events } = await next.run(cwd, { prompt, session }, { sessions });
      expect(outcome).toMatchObject({
        ok: true,
        lastText: "Done at last.",
        session: killed.session,
        resumed: { asked: true, done: true },
      });
      expect(events).toContainEqual(expect.objectContaining({ type: "started", resumed: true }));
      const seen = sessionOf(killed.session);
      expect(seen).toMatchObject({ prefixKept: true, problems: [] });
      expect([seen?.prompts.at(0), seen?.prompts.at(-1)]).toEqual(["You will be killed.", prompt]);
      // What the conversation had used before belongs to the run before.
      const input = (seen?.sent.main.input ?? 0) - (used?.input ?? 0);
      expect([outcome.cli.tokens?.input, outcome.gateway?.tokens.input]).toEqual([input, input]);
    },
  );
});

function startFollower(place: AgentPlace, { id, cwd, task, transcript }: RunRequest, heard: string) {
  const about: z.infer<typeof followed> = {
    agent: place.agent,
    backend: place.name,
    sandbox: place.sandbox.name,
    id,
    cwd,
    env: { ...place.env },
    prompt: task.prompt,
    model: task.model ?? "",
    session: task.session.id,
    transcript,
    folder: runFolder(id),
    heard,
  };
  const follower = spawn(process.execPath, [program, JSON.stringify(about)], {
    env: world.env,
    stdio: ["ignore", "inherit", "inherit"],
  });
  atEnd(() => follower.kill("SIGKILL"));
  return follower;
}

/** Whole lines only: the last one may be half of one. */
function eventsIn(heard: string): AgentEvent[] {
  const lines = existsSync(heard) ? readFileSync(heard, "utf8").split("\n").slice(0, -1) : [];
  return lines.map((line) => agentEvent.parse(JSON.parse(line)));
}

function toldBack(events: readonly AgentEvent[]): boolean {
  return events.some((event) => event.type === "tool_result" && event.output.includes("told-back"));
}

/** Some write down a moment later what they were told by a tool. */
async function isWrittenDown({ sandbox, env }: AgentPlace, run: string): Promise<boolean> {
  const own = `"$HOME/.claude/projects" "$HOME/.codex/sessions" /tmp/opentiger-run-${run}`;
  const search = `grep -rqs told-back ${own} ${runFolder(run)}`;
  return (await runIn(sandbox, ["sh", "-c", search], { env: { ...env } })).code === 0;
}

/** On the host, what stands in place of a login, and what Codex keeps beside it. */
function runFolder(run: string): string {
  return join(world.home, "runs", run);
}
