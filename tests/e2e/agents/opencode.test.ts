import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { buffer } from "node:stream/consumers";
import { answerSchema } from "@opentiger/agents";
import {
  answer,
  editFile,
  finish,
  type ModelSim,
  proseInsteadOfAnswer,
  readFile,
  runCommand,
  say,
  silence,
  startModelSim,
  think,
  whenPrompt,
  writeFile,
} from "@opentiger/model-sim";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { guarded } from "../../../packages/agents/src/opencode/guard.ts";
import { atEnd } from "../../setup/at-end.ts";
import { hostAgents } from "../../setup/host-agents.ts";
import { runIn } from "../../setup/place.ts";
import { temporaryFolder } from "../../setup/temporary-workspace.ts";
import { until } from "../../setup/until.ts";
import { canaryServer, marksIn, trap } from "./opencode-trap.ts";
import { type OpenCodePlace, openCodePlaces } from "./opencode-world.ts";

/** OpenCode takes seconds to start, and many where the machine is busy. */
const startMs = 60_000;

const key = "sk-ant-canary-opencode-0123456789";
const verdict = z.object({ verdict: z.enum(["pass", "fail"]), reasons: z.array(z.string()) });

let sim: ModelSim;
let places: Record<"host" | "docker", OpenCodePlace>;

beforeAll(async () => {
  sim = await startModelSim({
    credentials: [key],
    scenarioFor: [
      whenPrompt("greet the world", {
        steps: [
          readFile("notes.txt"),
          think(10, "It wants a greeting."),
          writeFile("src/greeting.txt", "Hello, world\n"),
          editFile("notes.txt", "to do", "done"),
          say("Now the check."),
          runCommand("sh check.sh"),
          finish("The greeting is there."),
        ],
      }),
      whenPrompt("judge it well", { steps: [answer({ verdict: "pass", reasons: ["it works"] })] }),
      whenPrompt("judge it in prose", { steps: [proseInsteadOfAnswer()] }),
      whenPrompt("look at the trap", {
        steps: [
          readFile("notes.txt"),
          writeFile("new.txt", "new\n"),
          runCommand("echo looked"),
          finish("I saw it."),
        ],
      }),
      whenPrompt("be killed", {
        steps: [runCommand("echo one > one.txt"), silence(), finish("Done at last.")],
      }),
      whenPrompt("stay inside", {
        steps: [
          writeFile("inside.txt", "inside\n"),
          runCommand("sh check.sh"),
          runCommand("touch other.txt"),
          writeFile("../outside.txt", "outside\n"),
          finish("I did what I could."),
        ],
      }),
      whenPrompt("take your time", {
        steps: [...Array.from({ length: 20 }, (_, turn) => runCommand(`echo ${turn}`)), finish("Too late.")],
      }),
    ],
  });
  atEnd(() => sim.close());
  places = await openCodePlaces(sim.url, key);
});

const anywhere = describe.each(["host", "docker"] as const);
const session = (id: string | null) => sim.sessions().find((each) => each.key === id);

const workspace = {
  "notes.txt": "first\nto do\nlast\n",
  "check.sh": "grep -q Hello src/greeting.txt && echo the check is green\n",
};

anywhere("OpenCode on a task, %s", (where) => {
  it("reads, writes, edits, runs the check and says so; every token is counted", async () => {
    const cwd = places[where].project("greeting", workspace);
    const { events, outcome } = await places[where].run(cwd, { prompt: "Please greet the world." });
    expect(outcome).toMatchObject({ ok: true, lastText: "The greeting is there.", denials: [] });
    expect(tree(cwd)).toEqual({
      ...workspace,
      "notes.txt": "first\ndone\nlast\n",
      "src/greeting.txt": "Hello, world\n",
    });
    const looked = ["tool_call", "tool_result", "usage"];
    const changed = ["tool_call", "tool_result", "file_change", "usage"];
    expect(events.map(({ type }) => type)).toEqual([
      "started",
      ...looked,
      "thinking",
      ...changed,
      ...changed,
      "text",
      ...looked,
      "text",
      "usage",
      "finished",
    ]);
    expect(events[0]).toMatchObject({ session: outcome.session, model: "anthropic/claude-sonnet-4-5" });
    expect(events).toContainEqual(
      expect.objectContaining({ type: "tool_result", ok: true, exitCode: 0, output: "the check is green\n" }),
    );
    const seen = session(outcome.session);
    expect(seen).toMatchObject({ problems: [], sent: { side: { input: 0, output: 0 } } });
    expect(outcome.cli.tokens).toEqual(seen?.sent.main);
    expect(outcome.gateway?.tokens).toMatchObject({ ...seen?.sent.main });
  });

  it("goes on where it was after kill -9 in the middle of a request, from what is kept outside", async () => {
    const { sandbox, start, run, project } = places[where];
    const cwd = project("killed", workspace);
    const kept = { sessions: temporaryFolder() };
    const first = await start(cwd, { prompt: "You will be killed." }, kept);
    const asked = () => sim.requests.filter(({ session: of }) => of !== undefined && of === first.session);
    await until("the model is silent", () => asked().length === 2, startMs);
    const [exec] = (await sandbox.execs()).filter(({ id }) => id === first.execId);
    await runIn(sandbox, ["kill", "-9", String(exec?.pid)]);
    const killed = await first.outcome;
    expect(killed).toMatchObject({ ok: false, failure: { type: "crash" }, sessionKept: true });
    const prompt = "Go on where you were.";
    const resumed = { kind: "resumed", id: killed.session ?? "" } as const;
    const second = await run(cwd, { prompt, session: resumed }, kept);
    expect(second.outcome).toMatchObject({
      ok: true,
      lastText: "Done at last.",
      session: killed.session,
      resumed: { asked: true, done: true },
    });
    expect(second.events[0]).toMatchObject({ type: "started", resumed: true });
    const seen = session(killed.session);
    expect(seen).toMatchObject({ prefixKept: true, problems: [], prompts: ["You will be killed.", prompt] });
  });
});

anywhere("a repository with a trap for OpenCode, %s", (where) => {
  it("has its instructions heard, once, and nothing else of it takes effect", async () => {
    const canary = await canaryServer();
    const honest = {
      "AGENTS.md": "Every commit is a haiku, canary 4711.",
      "CLAUDE.md": "No tabs, canary 4712.",
    };
    const cwd = places[where].project("trap", { ...workspace, ...honest, ...trap(canary.url) });
    const instructions = Object.entries(honest).map(([path, text]) => ({ path, text }));
    const { outcome } = await places[where].run(cwd, { prompt: "Please look at the trap.", instructions });
    expect(outcome).toMatchObject({ ok: true, lastText: "I saw it." });
    expect({ marks: marksIn(cwd), asked: canary.asked() }).toEqual({ marks: [], asked: [] });
    const requests = sim.requests.filter((each) => each.session === outcome.session);
    expect(requests.map(({ model, auth }) => ({ model, auth }))).toEqual(
      requests.map(() => ({ model: "claude-sonnet-4-5", auth: key })),
    );
    for (const { body } of requests) {
      for (const text of Object.values(honest)) expect(body.split(text)).toHaveLength(2);
      expect(body).not.toContain("TRAP");
    }
  });
});

describe("OpenCode asked for an answer in a form", () => {
  const task = { answer: answerSchema(verdict), permissions: { kind: "read" } } as const;

  it("gives it", async () => {
    const { project, run } = places.docker;
    const { outcome } = await run(project("judging", workspace), {
      ...task,
      prompt: "Please judge it well.",
    });
    expect(outcome).toMatchObject({ ok: true, answer: { verdict: "pass", reasons: ["it works"] } });
  });

  it("is not believed when it gives prose", async () => {
    const { project, run } = places.host;
    const prompt = "Please judge it in prose.";
    const { outcome } = await run(project("judging", workspace), { ...task, prompt });
    expect(outcome).toMatchObject({ ok: false, failure: { type: "malformed" }, answer: undefined });
  });
});

describe("OpenCode's last words", () => {
  it("are not lost to a slow reader", async () => {
    const folder = temporaryFolder();
    const { env, file } = guarded(
      { backend: "host", cwd: folder, home: folder, folder, env: {} },
      { projectSettings: "ignored", config: {} },
    );
    writeFileSync(join(folder, file.path), file.content);
    // The runtime that OpenCode is made with, told to end as OpenCode does: with words still on their way.
    const script = 'process.stdout.write("x".repeat(1_000_000)); process.exit(0)';
    const child = spawn(join(await hostAgents(), "opencode"), ["-e", script], {
      env: { ...env, HOME: folder, BUN_BE_BUN: "1" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    expect((await buffer(child.stdout)).length).toBe(1_000_000);
  });
});

describe("OpenCode with permissions, on the host", () => {
  it("edits and runs exactly the commands that are allowed, and tells what it was denied", async () => {
    const { project, run } = places.host;
    const cwd = project("bounded", { ...workspace, "check.sh": "echo green\n" });
    const permissions = { kind: "edits", commands: ["sh check.sh"] } as const;
    const { events, outcome } = await run(cwd, { prompt: "Please stay inside.", permissions });
    const outside = join(cwd, "../outside.txt");
    expect(new Set(outcome.denials)).toEqual(
      new Set(["bash touch other.txt", `write ${outside}`, `read ${outside}`]),
    );
    expect(outcome).toMatchObject({ ok: false, failure: { type: "denied" } });
    expect(events).toContainEqual(expect.objectContaining({ type: "tool_result", output: "green\n" }));
    expect(Object.keys(tree(cwd))).toEqual(["check.sh", "inside.txt", "notes.txt"]);
    expect(existsSync(outside)).toBe(false);
  });

  it("is ended when it takes more turns than it has", async () => {
    const { project, run } = places.host;
    const task = { prompt: "Please take your time.", maxTurns: 2 };
    const { outcome } = await run(project("slow", workspace), task);
    expect(outcome).toMatchObject({ ok: false, failure: { type: "max_turns" } });
  });

  it("leaves nothing of it with the user's own, and installs nothing", () => {
    const home = places.host.agentHome ?? "";
    const left = (folder: string) => readdirSync(join(home, folder)).toSorted();
    expect(left(".local/share/opencode").filter((name) => name.includes("db"))).toEqual([]);
    expect(left(".config/opencode")).toEqual([".gitignore"]);
  });
});

/** What a file holds, by its path below the folder; git's own are left out. */
function tree(folder: string): Record<string, string> {
  const files = readdirSync(folder, { withFileTypes: true, recursive: true }).filter(
    (entry) => entry.isFile() && !`${relative(folder, entry.parentPath)}/`.startsWith(".git/"),
  );
  const paths = files.map(({ parentPath, name }) => relative(folder, join(parentPath, name))).toSorted();
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}
