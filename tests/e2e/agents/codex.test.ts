import { spawnSync } from "node:child_process";
import { existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { answerSchema } from "@opentiger/agents";
import {
  answer,
  finish,
  type ModelSim,
  runCommand,
  startModelSim,
  whenPrompt,
  writeFile,
} from "@opentiger/model-sim";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type AgentPlace, type PlaceName, placeNames, type Ran } from "../../setup/agent-place.ts";
import { agentWorld, apiKeys } from "../../setup/agent-world.ts";
import { atEnd } from "../../setup/at-end.ts";
import { type Canary, startCanary } from "../../setup/traps/canary.ts";
import { codexTrap } from "../../setup/traps/codex-trap.ts";
import { marksIn, trapWord } from "../../setup/traps/marks.ts";

const verdict = z.object({ verdict: z.enum(["pass", "fail"]), reasons: z.array(z.string()) });

let sim: ModelSim;
let places: Record<PlaceName, AgentPlace>;

beforeAll(async () => {
  sim = await startModelSim({
    credentials: Object.values(apiKeys),
    scenarioFor: [
      whenPrompt("judge it well", { steps: [answer({ verdict: "pass", reasons: ["it works"] })] }),
      whenPrompt("look at the trap", { steps: [runCommand("echo looked"), finish("I saw it.")] }),
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
  const world = await agentWorld(sim.url);
  places = { host: await world.place("codex", "host"), docker: await world.place("codex", "docker") };
});

describe.each(placeNames)("Codex, %s", (where) => {
  it("answers in the form that was asked for", async () => {
    const cwd = places[where].project("judging");
    const task = { answer: answerSchema(verdict), permissions: { kind: "read" } } as const;
    const { outcome } = await places[where].run(cwd, { ...task, prompt: "Please judge it well." });
    expect(outcome).toMatchObject({ ok: true, answer: { verdict: "pass", reasons: ["it works"] } });
  });
});

describe.each(placeNames)("a repository with a trap for Codex, %s", (where) => {
  const prompt = "Please look at the trap.";
  const honest = "Every commit message is a haiku, canary 4711.";
  const instructions = [{ path: "AGENTS.md", text: honest }];
  let canary: Canary;

  beforeAll(async () => {
    canary = await startCanary();
  });

  const trapped = (name: string) =>
    places[where].project(name, (cwd) => ({ "AGENTS.md": honest, ...codexTrap(cwd, canary) }));
  const bodiesOf = ({ outcome }: Ran) =>
    sim.requests.filter((each) => each.session === outcome.session).map(({ body }) => body);

  it("has no effect where the folder is called by another name", async () => {
    const cwd = trapped("real");
    const link = join(cwd, "../link");
    symlinkSync("real", link);
    const ran = await places[where].run(link, { prompt });
    expect(ran.outcome).toMatchObject({ ok: true });
    expect({ marks: marksIn(cwd), stolen: canary.stolen }).toEqual({ marks: [], stolen: [] });
    expect(bodiesOf(ran).join()).not.toContain(trapWord);
  });

  it("takes effect where the user allowed it, and the instructions still come once", async () => {
    const cwd = trapped("allowed");
    const ran = await places[where].run(cwd, { prompt, instructions, projectSettings: "allowed" });
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
    const cwd = places.host.project("confined");
    const { outcome, events } = await places.host.run(cwd, { prompt: "Please stay inside.", permissions });
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
    const cwd = places.host.project("denied");
    const { outcome } = await places.host.run(cwd, { prompt: "Please leave the folder.", permissions });
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
    const world = await agentWorld(model.url, {
      keys: {},
      logins: { codex_auth_json: chatgptLogin(access) },
    });
    for (const where of placeNames) {
      const { name, run, project } = await world.place("codex", where);
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
