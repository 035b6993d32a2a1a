import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
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
import { atEnd } from "../../setup/at-end.ts";
import { runIn } from "../../setup/place.ts";
import { temporaryFolder } from "../../setup/temporary-workspace.ts";
import { until } from "../../setup/until.ts";
import { type Canary, claudeTrap, marksIn, startCanary, trapSettings, trapWord } from "./claude-trap.ts";
import { type ClaudePlace, claudePlaces } from "./claude-world.ts";

const key = "sk-ant-api03-canary-claude-0123456789";
const verdict = z.object({ verdict: z.enum(["pass", "fail"]), at: z.iso.datetime() });
const honest = "Every commit message is a haiku, canary 4711.";

let sim: ModelSim;
let places: Record<ClaudePlace["name"], ClaudePlace>;
let canary: Canary;

const session = (id: string | null) => sim.sessions().find((each) => each.key === id);

const bodies = (id: string | null) =>
  sim.requests.filter((each) => each.session === id).map(({ body }) => body);

/** What a file holds, by its path below the folder. */
function tree(folder: string): Record<string, string> {
  const files = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = files.map(({ parentPath, name }) => relative(folder, join(parentPath, name))).toSorted();
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}

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
      whenPrompt("judge it well", {
        steps: [writeFile("judged.txt", "no\n"), answer({ verdict: "pass", at: "2030-01-01T00:00:00Z" })],
      }),
      whenPrompt("judge it in prose", { steps: [proseInsteadOfAnswer()] }),
      whenPrompt("look at the trap", {
        steps: [runCommand(`echo "looked$TRAP_VARIABLE"`), finish("I saw it.")],
      }),
      whenPrompt("be killed", {
        steps: [runCommand("echo one > one.txt"), silence(), finish("Done at last.")],
      }),
      whenPrompt("run the check", { steps: [runCommand("sh check.sh"), finish("It is green.")] }),
      whenPrompt("leave the folder", {
        steps: [runCommand("sh check.sh"), runCommand("sh other.sh"), finish("I tried.")],
      }),
      whenPrompt("say hello", { steps: [finish("Hello.")] }),
    ],
  });
  atEnd(() => sim.close());
  canary = await startCanary();
  places = await claudePlaces(sim.url, { ANTHROPIC_API_KEY: key });
});

const anywhere = describe.each(["host", "docker"] as const);
const workspace = {
  "notes.txt": "first\nto do\nlast\n",
  "check.sh": "grep -q Hello src/greeting.txt && echo the check is green\n",
};

anywhere("Claude Code on a task, %s", (where) => {
  it("reads, writes, edits, runs the check and says so; every token is counted", async () => {
    const cwd = places[where].project("greeting", workspace);
    const { events, outcome } = await places[where].run(cwd, { prompt: "Please greet the world." });
    expect(outcome).toMatchObject({ ok: true, lastText: "The greeting is there.", denials: [] });
    expect(tree(cwd)).toEqual({
      ".git/HEAD": "ref: refs/heads/main\n",
      ...workspace,
      "notes.txt": "first\ndone\nlast\n",
      "src/greeting.txt": "Hello, world\n",
    });
    const reading = ["tool_call", "tool_result"];
    const writing = [...reading, "file_change"];
    expect(events.map(({ type }) => type).filter((type) => type !== "usage")).toEqual([
      "started",
      ...reading,
      "thinking",
      ...writing,
      ...writing,
      "text",
      ...reading,
      "text",
      "finished",
    ]);
    expect(events).toContainEqual(
      expect.objectContaining({ type: "tool_result", ok: true, exitCode: 0, output: "the check is green" }),
    );
    const seen = session(outcome.session);
    expect(seen).toMatchObject({ problems: [], prompts: ["Please greet the world."] });
    expect(outcome.cli.tokens).toEqual(seen?.sent.main);
    expect(outcome.gateway?.tokens).toMatchObject({ ...seen?.sent.main });
    const used = events.flatMap((event) => (event.type === "usage" ? [event.tokens] : []));
    const sum = (name: keyof (typeof used)[number]) => used.reduce((all, each) => all + each[name], 0);
    expect({
      input: sum("input"),
      output: sum("output"),
      cacheRead: sum("cacheRead"),
      cacheWrite: sum("cacheWrite"),
    }).toEqual(seen?.sent.main);
    expect(sim.requests.filter((each) => each.session === outcome.session).map(({ auth }) => auth)).toEqual(
      Array.from({ length: seen?.requests ?? 0 }, () => key),
    );
  });

  it("answers in the form that was asked for and changes nothing, and prose is no answer", async () => {
    const cwd = places[where].project("judging");
    const task = { answer: answerSchema(verdict), permissions: { kind: "read" } } as const;
    const good = await places[where].run(cwd, { ...task, prompt: "Please judge it well." });
    expect(good.outcome).toMatchObject({
      ok: true,
      answer: { verdict: "pass", at: "2030-01-01T00:00:00Z" },
    });
    const offered = sim.requests.findLast((each) => each.session === good.outcome.session)?.tools;
    expect(offered).toEqual(["Glob", "Grep", "Read", "StructuredOutput"]);
    expect(tree(cwd)).toEqual({ ".git/HEAD": "ref: refs/heads/main\n" });
    const prose = await places[where].run(cwd, { ...task, prompt: "Please judge it in prose." });
    expect(prose.outcome).toMatchObject({ ok: false, failure: { type: "malformed" }, answer: undefined });
  });

  it("goes on where it was after kill -9 in the middle of a request, although its sandbox lost everything", async () => {
    const { sandbox, start, run, project } = places[where];
    const cwd = project("killed");
    const first = await start(cwd, { prompt: "You will be killed." });
    const asked = () => sim.requests.filter(({ session: of }) => of !== undefined && of === first.session);
    await until("the model is silent", () => asked().length === 2);
    // Claude Code writes it down a moment after it was said.
    const written = ["sh", "-c", `grep -q tool_result "$HOME"/.claude/projects/*/${first.session}.jsonl`];
    await until("the result is written down", async () => {
      const { code } = await runIn(sandbox, written, { env: places[where].env });
      return code === 0;
    });
    const [exec] = (await sandbox.execs()).filter(({ id }) => id === first.execId);
    await runIn(sandbox, ["kill", "-9", String(exec?.pid)]);
    const killed = await first.outcome;
    expect(killed).toMatchObject({ ok: false, failure: { type: "crash" }, sessionKept: true });
    const before = session(killed.session)?.sent.main;
    await runIn(sandbox, ["sh", "-c", 'rm -rf "$HOME/.claude/projects"'], { env: places[where].env });
    const prompt = "Go on where you were.";
    const second = await run(cwd, { prompt, session: { kind: "resumed", id: killed.session ?? "" } });
    expect(second.outcome).toMatchObject({ ok: true, lastText: "Done at last.", session: killed.session });
    expect(second.outcome.resumed).toEqual({ asked: true, done: true });
    expect(second.events).toContainEqual(expect.objectContaining({ type: "started", resumed: true }));
    const seen = session(killed.session);
    expect(seen).toMatchObject({ prefixKept: true, problems: [] });
    expect([seen?.prompts.at(0), seen?.prompts.at(-1)]).toEqual(["You will be killed.", prompt]);
    const input = (seen?.sent.main.input ?? 0) - (before?.input ?? 0);
    expect(second.outcome.cli.tokens).toMatchObject({ input });
  });
});

anywhere("a repository with a trap for Claude Code, %s", (where) => {
  const instructions = [{ path: "CLAUDE.md", text: honest }];
  const prompt = "Please look at the trap.";

  function trapped(name: string): string {
    const cwd = places[where].project(name);
    return places[where].project(name, { "CLAUDE.md": `${honest}\n`, ...claudeTrap(cwd, canary) });
  }

  it("has no effect, and its instructions reach the model exactly once", async () => {
    const cwd = trapped("trapped");
    const { outcome, events } = await places[where].run(cwd, { prompt, instructions });
    expect(outcome).toMatchObject({ ok: true, lastText: "I saw it." });
    expect(events).toContainEqual(
      expect.objectContaining({ type: "tool_result", ok: true, output: "looked" }),
    );
    expect({ marks: marksIn(cwd), asked: canary.asked() }).toEqual({ marks: [], asked: 0 });
    expect(bodies(outcome.session)).toHaveLength(2);
    for (const body of bodies(outcome.session)) {
      expect(body.split("canary 4711")).toHaveLength(2);
      expect(body).not.toContain(trapWord);
    }
  });

  it("has its effect where the user allows it, but never on where the model is", async () => {
    const cwd = trapped("allowed");
    const task = { prompt, instructions, projectSettings: "allowed" } as const;
    const { outcome, events } = await places[where].run(cwd, task);
    expect(outcome).toMatchObject({ ok: true, lastText: "I saw it." });
    expect(events).toContainEqual(
      expect.objectContaining({ type: "tool_result", ok: true, output: `looked${trapWord}` }),
    );
    const hooks = (name: string) => ["start", "stop", "tool"].map((event) => `${name}-${event}`);
    expect({ marks: marksIn(cwd), asked: canary.asked() }).toEqual({
      marks: [...hooks("local"), "mcp", ...hooks("shared")],
      asked: 0,
    });
    for (const body of bodies(outcome.session)) expect(body.split("canary 4711")).toHaveLength(2);
  });
});

describe("Claude Code on the host", () => {
  const permissions = { kind: "edits", commands: ["sh check.sh"] } as const;
  const files = { ...workspace, "src/greeting.txt": "Hello\n" };

  it("runs exactly the commands that it may", async () => {
    const cwd = places.host.project("confined", files);
    const { outcome } = await places.host.run(cwd, { prompt: "Please run the check.", permissions });
    expect(outcome).toMatchObject({ ok: true, lastText: "It is green.", denials: [] });
  });

  it("is denied what it may not do, and that is no success", async () => {
    const cwd = places.host.project("denied", { ...files, "other.sh": "touch other\n" });
    const { outcome } = await places.host.run(cwd, { prompt: "Please leave the folder.", permissions });
    expect(existsSync(join(cwd, "other"))).toBe(false);
    expect(outcome).toMatchObject({
      ok: false,
      failure: { type: "denied" },
      denials: ["Bash: sh other.sh"],
      exit: { code: 0 },
    });
  });

  it("keeps the user's own hooks, but not their way to the model", async () => {
    const cwd = places.host.project("of-the-user", { "marks/.keep": "" });
    const home = temporaryFolder("home-");
    mkdirSync(join(home, ".claude"));
    writeFileSync(join(home, ".claude/settings.json"), JSON.stringify(trapSettings(cwd, canary, "own")));
    const env = { ...places.host.env, HOME: home };
    const { outcome } = await places.host.run(cwd, { prompt: "Please say hello." }, { env });
    expect(outcome).toMatchObject({ ok: true, lastText: "Hello." });
    expect({ marks: marksIn(cwd), asked: canary.asked() }).toEqual({
      marks: ["own-start", "own-stop"],
      asked: 0,
    });
  });

  it("takes a prompt as words: neither a command of its own nor a file that it names", async () => {
    const secret = join(temporaryFolder(), "secret.txt");
    writeFileSync(secret, "canary of the file");
    const prompt = `/clear and say hello to @${secret} and @${dirname(secret)}`;
    const { outcome } = await places.host.run(places.host.project("words"), { prompt });
    expect(outcome).toMatchObject({ ok: true, lastText: "Hello." });
    expect(session(outcome.session)?.prompts).toEqual([prompt]);
    expect(bodies(outcome.session).join()).not.toContain("canary of the file");
  });
});
