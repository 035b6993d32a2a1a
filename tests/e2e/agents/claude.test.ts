import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
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
import { type AgentPlace, type PlaceName, placeNames } from "../../setup/agent-place.ts";
import { agentWorld, apiKeys } from "../../setup/agent-world.ts";
import { atEnd } from "../../setup/at-end.ts";
import { filesIn } from "../../setup/files-in.ts";
import { temporaryFolder } from "../../setup/temporary-workspace.ts";
import { type Canary, startCanary } from "../../setup/traps/canary.ts";
import { claudeTrap, trapSettings } from "../../setup/traps/claude-trap.ts";
import { marksFile, marksIn, trapWord } from "../../setup/traps/marks.ts";

const verdict = z.object({ verdict: z.enum(["pass", "fail"]), at: z.iso.datetime() });
const honest = "Every commit message is a haiku, canary 4711.";

let sim: ModelSim;
let places: Record<PlaceName, AgentPlace>;
let canary: Canary;

const session = (id: string | null) => sim.sessions().find((each) => each.key === id);

const bodies = (id: string | null) =>
  sim.requests.filter((each) => each.session === id).map(({ body }) => body);

beforeAll(async () => {
  sim = await startModelSim({
    credentials: Object.values(apiKeys),
    scenarioFor: [
      whenPrompt("judge it well", {
        steps: [writeFile("judged.txt", "no\n"), answer({ verdict: "pass", at: "2030-01-01T00:00:00Z" })],
      }),
      whenPrompt("look at the trap", {
        steps: [runCommand(`echo "looked$TRAP_VARIABLE"`), finish("I saw it.")],
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
  const world = await agentWorld(sim.url);
  places = {
    host: await world.place("claude_code", "host"),
    docker: await world.place("claude_code", "docker"),
  };
});

describe.each(placeNames)("Claude Code, %s", (where) => {
  it("answers in the form that was asked for and changes nothing", async () => {
    const cwd = places[where].project("judging");
    const task = { answer: answerSchema(verdict), permissions: { kind: "read" } } as const;
    const { outcome } = await places[where].run(cwd, { ...task, prompt: "Please judge it well." });
    expect(outcome).toMatchObject({ ok: true, answer: { verdict: "pass", at: "2030-01-01T00:00:00Z" } });
    const offered = sim.requests.findLast((each) => each.session === outcome.session)?.tools;
    expect(offered).toEqual(["Glob", "Grep", "Read", "StructuredOutput"]);
    expect(filesIn(cwd)).toEqual({});
  });

  it("keeps to a repository's settings where the user allows it, but not to where these say the model is", async () => {
    const instructions = [{ path: "CLAUDE.md", text: honest }];
    const files = (cwd: string) => ({
      "CLAUDE.md": `${honest}\n`,
      ".claude/CLAUDE.md": honest,
      ...claudeTrap(cwd, canary),
    });
    const cwd = places[where].project("allowed", files);
    const task = { prompt: "Please look at the trap.", instructions, projectSettings: "allowed" } as const;
    const { outcome, events } = await places[where].run(cwd, task);
    expect(outcome).toMatchObject({ ok: true, lastText: "I saw it." });
    expect(events).toContainEqual(
      expect.objectContaining({ type: "tool_result", ok: true, output: `looked${trapWord}` }),
    );
    const hooks = (name: string) => ["start", "stop", "tool"].map((event) => `${name}-${event}`);
    const marks = [...hooks("local"), "mcp", ...hooks("shared")];
    expect({ marks: marksIn(cwd), stolen: canary.stolen }).toEqual({ marks, stolen: [] });
    for (const body of bodies(outcome.session)) expect(body.split("canary 4711")).toHaveLength(2);
  });
});

describe("Claude Code on the host", () => {
  const permissions = { kind: "edits", commands: ["sh check.sh"] } as const;
  const files = { "check.sh": "echo the check is green\n", "other.sh": "touch other\n" };

  it("runs exactly the commands that it may", async () => {
    const cwd = places.host.project("confined", files);
    const { outcome } = await places.host.run(cwd, { prompt: "Please run the check.", permissions });
    expect(outcome).toMatchObject({ ok: true, lastText: "It is green.", denials: [] });
  });

  it("is denied what it may not do, and that is no success", async () => {
    const cwd = places.host.project("denied", files);
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
    const cwd = places.host.project("of-the-user", marksFile);
    const home = temporaryFolder("home-");
    mkdirSync(join(home, ".claude"));
    writeFileSync(join(home, ".claude/settings.json"), JSON.stringify(trapSettings(cwd, canary, "own")));
    const env = { ...places.host.env, HOME: home };
    const { outcome } = await places.host.run(cwd, { prompt: "Please say hello." }, { env });
    expect(outcome).toMatchObject({ ok: true, lastText: "Hello." });
    const marks = ["own-start", "own-stop"];
    expect({ marks: marksIn(cwd), stolen: canary.stolen }).toEqual({ marks, stolen: [] });
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
