import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join, relative } from "node:path";
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
import type { AgentEvent } from "@opentiger/schema";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { atEnd } from "../../setup/at-end.ts";
import { runIn } from "../../setup/place.ts";
import { until } from "../../setup/until.ts";
import { type Canary, codexTrap, marksIn, startCanary, trapWord } from "./codex-trap.ts";
import { type CodexPlace, codexPlaces, type Ran } from "./codex-world.ts";

const key = "sk-canary-codex-0123456789";
const verdict = z.object({ verdict: z.enum(["pass", "fail"]), reasons: z.array(z.string()) });

let sim: ModelSim;
let places: CodexPlace[];

const place = (name: string): CodexPlace => {
  const found = places.find((each) => each.name === name);
  if (!found) throw new Error(`there is no place ${name}`);
  return found;
};

const session = (id: string | null) => sim.sessions().find((each) => each.key === id);

/** What a file holds, by its path below the folder. */
function tree(folder: string): Record<string, string> {
  const files = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = files.map(({ parentPath, name }) => relative(folder, join(parentPath, name))).toSorted();
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}

/** What happened, without the results that each call has. */
function storyOf(events: readonly AgentEvent[]): string[] {
  const calls = events.flatMap((event) => (event.type === "tool_call" ? [event.id] : []));
  const results = events.flatMap((event) => (event.type === "tool_result" ? [event.id] : []));
  expect(results).toEqual(calls);
  return events
    .filter(({ type }) => type !== "raw" && type !== "tool_result")
    .map((event) =>
      event.type === "tool_call" ? `${event.kind}: ${event.summary.split("/").at(-1)}` : event.type,
    );
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
      whenPrompt("judge it well", { steps: [answer({ verdict: "pass", reasons: ["it works"] })] }),
      whenPrompt("judge it in prose", { steps: [proseInsteadOfAnswer()] }),
      whenPrompt("look at the trap", { steps: [runCommand("echo looked"), finish("I saw it.")] }),
      whenPrompt("read much", {
        steps: [runCommand("wc -c < /tmp/opentiger-run-*/task.md"), finish("So much.")],
      }),
      whenPrompt("be killed", {
        steps: [runCommand("echo one > one.txt"), silence(), finish("Done at last.")],
      }),
      whenPrompt("stay inside", {
        steps: [
          writeFile("inside.txt", "inside\n"),
          runCommand("touch ../outside.txt; touch $TMPDIR/temporary"),
          finish("I did what I could."),
        ],
      }),
      whenPrompt("leave the folder", {
        steps: [writeFile("../outside.txt", "outside\n"), finish("I tried.")],
      }),
    ],
  });
  atEnd(() => sim.close());
  places = await codexPlaces(sim.url, { OPENAI_API_KEY: key });
});

const anywhere = describe.each(["host", "docker"]);
const workspace = {
  "notes.txt": "first\nto do\nlast\n",
  "check.sh": "grep -q Hello src/greeting.txt && echo the check is green\n",
};

anywhere("Codex on a task, %s", (where) => {
  it("reads, writes, edits, runs the check and says so; every token is counted", async () => {
    const cwd = place(where).project("greeting", () => workspace);
    const { events, outcome } = await place(where).run(cwd, { prompt: "Please greet the world." });
    expect(outcome).toMatchObject({ ok: true, lastText: "The greeting is there.", denials: [] });
    expect(tree(cwd)).toEqual({
      ".git/HEAD": "ref: refs/heads/main\n",
      ...workspace,
      "notes.txt": "first\ndone\nlast\n",
      "src/greeting.txt": "Hello, world\n",
    });
    expect(storyOf(events)).toEqual([
      "started",
      "command: cat -- 'notes.txt'",
      "thinking",
      "edit: greeting.txt",
      "file_change",
      "edit: notes.txt",
      "file_change",
      "text",
      "command: sh check.sh",
      "text",
      "usage",
      "finished",
    ]);
    expect(events).toContainEqual(
      expect.objectContaining({ type: "tool_result", ok: true, exitCode: 0, output: "the check is green\n" }),
    );
    const seen = session(outcome.session);
    expect(seen?.problems).toEqual([]);
    expect(outcome.cli.tokens).toEqual(seen?.sent.main);
    expect(outcome.gateway?.tokens).toMatchObject({ ...seen?.sent.main });
    expect(sim.requests.filter((each) => each.session === outcome.session).map(({ auth }) => auth)).toEqual(
      Array.from({ length: seen?.requests ?? 0 }, () => `Bearer ${key}`),
    );
  });

  it("answers in the form that was asked for, and prose is no answer", async () => {
    const cwd = place(where).project("judging");
    const task = { answer: answerSchema(verdict), permissions: { kind: "read" } } as const;
    const good = await place(where).run(cwd, { ...task, prompt: "Please judge it well." });
    expect(good.outcome).toMatchObject({ ok: true, answer: { verdict: "pass", reasons: ["it works"] } });
    const prose = await place(where).run(cwd, { ...task, prompt: "Please judge it in prose." });
    expect(prose.outcome).toMatchObject({ ok: false, failure: { type: "malformed" }, answer: undefined });
  });

  it("goes on where it was after kill -9 in the middle of a request, although its sandbox lost everything", async () => {
    const { sandbox, start, run, project } = place(where);
    const cwd = project("killed");
    const first = await start(cwd, { prompt: "You will be killed." });
    const asked = () => sim.requests.filter(({ session: of }) => of !== undefined && of === first.session);
    await until("the model is silent", () => asked().length === 2);
    const [exec] = (await sandbox.execs()).filter(({ id }) => id === first.execId);
    await runIn(sandbox, ["kill", "-9", String(exec?.pid)]);
    const killed = await first.outcome;
    expect(killed).toMatchObject({ ok: false, failure: { type: "crash" }, sessionKept: true });
    const before = session(killed.session)?.sent.main;
    await runIn(sandbox, ["sh", "-c", 'rm -rf "$HOME/.codex/sessions"']);
    const prompt = "Go on where you were.";
    const second = await run(cwd, { prompt, session: { kind: "resumed", id: killed.session ?? "" } });
    expect(second.outcome).toMatchObject({ ok: true, lastText: "Done at last.", session: killed.session });
    expect(second.outcome.resumed).toEqual({ asked: true, done: true });
    expect(second.events).toContainEqual(expect.objectContaining({ type: "started", resumed: true }));
    const seen = session(killed.session);
    expect(seen).toMatchObject({ prefixKept: true, problems: [], prompts: ["You will be killed.", prompt] });
    const input = (seen?.sent.main.input ?? 0) - (before?.input ?? 0);
    expect(second.outcome.cli.tokens).toMatchObject({ input });
    expect(second.outcome.gateway?.tokens).toMatchObject({ input });
  });
});

describe("a prompt of 5 MB", () => {
  it("is more than Codex takes, and is there for it to read", async () => {
    const prompt = `Please read much. ${"word ".repeat(1_000_000)}`;
    const cwd = place("docker").project("long");
    const { outcome, events } = await place("docker").run(cwd, { prompt });
    expect(outcome).toMatchObject({ ok: true, lastText: "So much." });
    const [counted] = events.filter(({ type }) => type === "tool_result");
    expect(counted).toMatchObject({ output: `${prompt.length}\n` });
  });
});

anywhere("a repository with a trap for Codex, %s", (where) => {
  const prompt = "Please look at the trap.";
  const honest = "Every commit message is a haiku, canary 4711.";
  const instructions = [{ path: "AGENTS.md", text: honest }];
  let canary: Canary;

  beforeAll(async () => {
    canary = await startCanary();
  });

  const trapped = (name: string) =>
    place(where).project(name, (cwd) => ({ "AGENTS.md": honest, ...codexTrap(cwd, canary) }));
  const bodiesOf = ({ outcome }: Ran) =>
    sim.requests.filter((each) => each.session === outcome.session).map(({ body }) => body);

  it("has no effect, and its instructions reach the model exactly once", async () => {
    const cwd = trapped("trapped");
    const ran = await place(where).run(cwd, { prompt, instructions });
    expect(ran.outcome).toMatchObject({ ok: true, lastText: "I saw it." });
    expect(ran.events).toContainEqual(expect.objectContaining({ type: "tool_result", output: "looked\n" }));
    expect({ marks: marksIn(cwd), asked: canary.asked() }).toEqual({ marks: [], asked: 0 });
    expect(bodiesOf(ran)).toHaveLength(2);
    for (const body of bodiesOf(ran)) {
      expect(body.split("canary 4711")).toHaveLength(2);
      expect(body).not.toContain(trapWord);
    }
  });

  it("has none either where the folder is called by another name", async () => {
    const cwd = trapped("real");
    const link = join(cwd, "../link");
    symlinkSync("real", link);
    const ran = await place(where).run(link, { prompt });
    expect(ran.outcome).toMatchObject({ ok: true });
    expect({ marks: marksIn(cwd), asked: canary.asked() }).toEqual({ marks: [], asked: 0 });
    expect(bodiesOf(ran).join()).not.toContain(trapWord);
  });

  it("takes effect where the user allowed it, and the instructions still come once", async () => {
    const cwd = trapped("allowed");
    const ran = await place(where).run(cwd, { prompt, instructions, projectSettings: "allowed" });
    expect(marksIn(cwd)).toEqual(expect.arrayContaining(["mcp", "start", "stop", "tool"]));
    const [body = ""] = bodiesOf(ran);
    expect(body).toContain(trapWord);
    expect(body.split("canary 4711")).toHaveLength(2);
  });
});

/** Codex confines its commands by user namespaces; a machine without them has none of this. */
const namespaces = spawnSync("unshare", ["--user", "--map-root-user", "true"]).status === 0;

describe.skipIf(!namespaces)("Codex on the host with less than everything", () => {
  const permissions = { kind: "edits", commands: ["sh check.sh"] } as const;

  it("changes the workspace and nothing else", async () => {
    const cwd = place("host").project("confined");
    const { outcome, events } = await place("host").run(cwd, { prompt: "Please stay inside.", permissions });
    expect(outcome.ok).toBe(true);
    expect(existsSync(join(cwd, "inside.txt"))).toBe(true);
    expect(existsSync(join(cwd, "../outside.txt"))).toBe(false);
    const [, command] = events.filter(({ type }) => type === "tool_result");
    expect(command).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining("Read-only file system") as string,
    });
  });

  it("is denied what it may not do, and that is no success", async () => {
    const cwd = place("host").project("denied");
    const { outcome } = await place("host").run(cwd, { prompt: "Please leave the folder.", permissions });
    expect(existsSync(join(cwd, "../outside.txt"))).toBe(false);
    expect(outcome).toMatchObject({
      ok: false,
      failure: { type: "denied" },
      denials: [expect.stringContaining("apply_patch: writing outside of the project") as string],
    });
  });
});

describe("Codex with a ChatGPT login", () => {
  it("is led to the model by the placeholder, and the model sees the login", async () => {
    const access = jwt("canary-access");
    const scenario = { steps: [finish("Hello, subscriber.")] };
    const model = await startModelSim({ credentials: [access], scenario });
    atEnd(() => model.close());
    for (const { name, run, project } of await codexPlaces(model.url, {
      codex_auth_json: chatgptLogin(access),
    })) {
      const { outcome } = await run(project("subscribed"), { prompt: `Say hello from ${name}.` });
      expect(outcome).toMatchObject({ ok: true, lastText: "Hello, subscriber." });
      const asked = model.requests.filter((each) => each.session === outcome.session);
      expect(asked.map(({ path, auth }) => ({ path, auth }))).toEqual([
        { path: "/responses", auth: `Bearer ${access}` },
      ]);
    }
  });
});

function chatgptLogin(access: string): string {
  const tokens = {
    id_token: jwt("canary-id"),
    access_token: access,
    refresh_token: "canary",
    account_id: "acc",
  };
  return JSON.stringify({
    auth_mode: "chatgpt",
    OPENAI_API_KEY: null,
    tokens,
    last_refresh: new Date().toISOString(),
  });
}

function jwt(signature: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const auth = { chatgpt_plan_type: "plus", chatgpt_account_id: "acc" };
  const claims = {
    exp: Math.floor(Date.now() / 1000) + 86_400,
    email: "a@b.test",
    "https://api.openai.com/auth": auth,
  };
  return `${part({ alg: "none" })}.${part(claims)}.${signature}`;
}
