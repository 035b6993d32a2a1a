import { spawn } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
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
import { guarded } from "../../../packages/agents/src/opencode/guard.ts";
import { type AgentPlace, type PlaceName, placeNames } from "../../setup/agent-place.ts";
import { agentWorld, apiKeys } from "../../setup/agent-world.ts";
import { atEnd } from "../../setup/at-end.ts";
import { covering } from "../../setup/covering.ts";
import { filesIn } from "../../setup/files-in.ts";
import { hostAgents } from "../../setup/host-agents.ts";
import { temporaryFolder } from "../../setup/temporary-workspace.ts";

const verdict = z.object({ verdict: z.enum(["pass", "fail"]), reasons: z.array(z.string()) });

/** What its settings name, what it says to all agents, and what it says to Claude Code. */
const files = {
  "opencode.json": JSON.stringify({ instructions: ["docs/rules.md"] }),
  "docs/rules.md": "Judge in plain words, canary 4711.\n",
  "AGENTS.md": "Every commit is a haiku, canary 4712.\n",
  "CLAUDE.md": "No tabs, canary 4713.\n",
};
const instructions = (["AGENTS.md", "CLAUDE.md"] as const).map((path) => ({ path, text: files[path] }));

let sim: ModelSim;
let places: Record<PlaceName, AgentPlace>;

beforeAll(async () => {
  sim = await startModelSim({
    credentials: Object.values(apiKeys),
    scenarioFor: [
      whenPrompt("judge it well", { steps: [answer({ verdict: "pass", reasons: ["it works"] })] }),
      whenPrompt("stay inside", {
        steps: [
          writeFile("inside.txt", "inside\n"),
          runCommand("sh check.sh"),
          runCommand("touch other.txt"),
          writeFile("../outside.txt", "outside\n"),
          finish("I did what I could."),
        ],
      }),
    ],
  });
  atEnd(() => sim.close());
  const world = await agentWorld(sim.url);
  places = { host: await world.place("opencode", "host"), docker: await world.place("opencode", "docker") };
});

describe("OpenCode", () => {
  const ability =
    "answers in the form that was asked for, and keeps to a repository's settings where they are allowed";

  it.each(covering([ability], placeNames, ["docker"]))("%s: %s", async (_, where) => {
    const cwd = places[where].project("judging", files);
    const settings = { instructions, projectSettings: "allowed" } as const;
    const task = { ...settings, answer: answerSchema(verdict), permissions: { kind: "read" } } as const;
    const { outcome } = await places[where].run(cwd, { ...task, prompt: "Please judge it well." });
    expect(outcome).toMatchObject({ ok: true, answer: { verdict: "pass", reasons: ["it works"] } });
    const asked = sim.requests.filter(({ session, side }) => session === outcome.session && !side);
    for (const canary of ["canary 4711", "canary 4712", "canary 4713"])
      expect(asked.map(({ body }) => body.split(canary).length)).toEqual(asked.map(() => 2));
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
    const cwd = project("bounded", { "notes.txt": "a note\n", "check.sh": "echo green\n" });
    const permissions = { kind: "edits", commands: ["sh check.sh"] } as const;
    const { events, outcome } = await run(cwd, { prompt: "Please stay inside.", permissions });
    const outside = join(cwd, "../outside.txt");
    expect(new Set(outcome.denials)).toEqual(
      new Set(["bash touch other.txt", `write ${outside}`, `read ${outside}`]),
    );
    expect(outcome).toMatchObject({ ok: false, failure: { type: "denied" } });
    expect(events).toContainEqual(expect.objectContaining({ type: "tool_result", output: "green\n" }));
    expect(Object.keys(filesIn(cwd))).toEqual(["check.sh", "inside.txt", "notes.txt"]);
    expect(existsSync(outside)).toBe(false);
  });

  it("leaves nothing of it with the user's own, and installs nothing", () => {
    const home = places.host.env["HOME"] ?? "";
    const left = (folder: string) => readdirSync(join(home, folder)).toSorted();
    expect(left(".local/share/opencode").filter((name) => name.includes("db"))).toEqual([]);
    expect(left(".config/opencode")).toEqual([".gitignore"]);
  });
});
