import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { finish, type ModelSim, startModelSim } from "@opentiger/model-sim";
import { openVault } from "@opentiger/secrets";
import { beforeAll, expect, test } from "vitest";
import { listArtifacts } from "../../../packages/orchestrator/src/state/artifacts.ts";
import { atEnd } from "../../setup/at-end.ts";
import { doing } from "./failing-tasks.ts";
import { project, type RunningWorld, runningWorld } from "./running-world.ts";

let sim: ModelSim;
let world: RunningWorld;

const canary = "canary-of-a-login-0123456789";

const vaultOf = ({ place, env }: RunningWorld) =>
  openVault({ stateFolder: place.folder, env, program: "test" });

beforeAll(async () => {
  sim = await startModelSim({ scenario: { steps: [finish()] } });
  atEnd(() => sim.close());
  world = await runningWorld(sim.url, { keys: {} });
});

test("A13 without a login there is a warning with the remedy, and the task fails as that after one run", async () => {
  await world.loop([{ title: "Do something" }]);
  const task = await world.next();
  expect(task.state).toBe("failed");
  expect(task.detail).toContain("Authentication required.");
  expect(task.detail).toContain("claude setup-token");
  expect(await world.runs(task)).toMatchObject([{ state: "failed", failure: { type: "auth" } }]);
  expect(world.lines.find((line) => line.startsWith("warning: "))).toContain("claude setup-token");
  expect(sim.requests).toEqual([]);
});

test("B11 an agent whose model the policy keeps it from fails as that, whatever its CLI makes of it", async () => {
  await vaultOf(world).add("claude_setup_token", Buffer.from("sk-ant-oat01-canary-blocked-0123456789"));
  await world.place.config.patch({ SANDBOX_CREDENTIALS: "inject" }, "test");
  const network = { run: { policy: "deny" } };
  const files = { ...project, "opentiger.json": JSON.stringify({ network }) };
  for (const [task, host] of [
    [{ title: "Do something" }, "api.anthropic.com"],
    [doing("curl --silent --fail https://openrouter.ai/api/v1/models"), "openrouter.ai"],
  ] as const) {
    await world.loop([task], { files });
    const ended = await world.next();
    expect(await world.runs(ended)).toMatchObject([{ state: "failed", failure: { type: "policy" } }]);
    expect(ended.detail).toContain(`${host} is blocked`);
    expect(ended.detail).toContain("network log");
  }
});

test.each(["sandbox", "host"] as const)(
  "B3 %s: no artifact of a run has the login that its agent could read",
  async (environment) => {
    const login = { auth_mode: "chatgpt", tokens: { access_token: canary, refresh_token: `${canary}-too` } };
    if (environment === "sandbox")
      await vaultOf(world).add("codex_auth_json", Buffer.from(JSON.stringify(login)));
    else {
      const folder = join(world.env["HOME"] ?? "", ".codex");
      mkdirSync(folder);
      writeFileSync(join(folder, "auth.json"), JSON.stringify(login));
    }
    await world.place.config.patch({ SANDBOX_CREDENTIALS: "inject" }, "test");
    const files = { ...project, "check.sh": "cat src/login.txt\n" };
    const settings = { environment };
    await world.loop([doing('cat "$HOME/.codex/auth.json" | tee src/login.txt')], { files, settings });
    const task = await world.next();
    expect(task.state).toBe("blocked(awaiting_judge)");
    const [run] = await world.runs(task);
    const { items: artifacts } = await listArtifacts(world.place.database, { run: run?.id ?? "" });
    const texts = artifacts.map(({ kind, path }) => [kind, readFileSync(path, "utf8")] as const);
    expect(texts.map(([kind]) => kind)).toEqual(["transcript", "diff", "log"]);
    expect(texts.filter(([, text]) => !text.includes("auth_mode"))).toEqual([]);
    expect(texts.filter(([, text]) => text.includes(canary))).toEqual([]);
  },
);
