import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { collect, connectDocker, type Sandbox } from "@opentiger/sandbox";
import { outwardThrough, Sandboxd } from "@opentiger/sandboxd";
import { demoModel, letAgentWork } from "./agent.ts";
import { attacks } from "./attacks.ts";
import { makeProject } from "./project.ts";

/**
 * A sandbox made, used, attacked and removed before your eyes, and a real agent at work in it. Everything that is printed
 * was just seen to happen. Only the model is scripted: no key and no account is needed.
 */
const folder = mkdtempSync(join(tmpdir(), "opentiger-demo-"));
process.env["OPENTIGER_HOME"] = join(folder, "state");
const workspace = makeProject(folder);
const model = await demoModel();
process.env["ANTHROPIC_BASE_URL"] = model.url;
process.env["ANTHROPIC_API_KEY"] = "sk-ant-the-key-that-no-sandbox-ever-has";
const sandboxd = new Sandboxd();
const backend = await connectDocker({ outward: outwardThrough(sandboxd, process.env, undefined) });
const service = createServer((_, response) => response.end("hello from this machine"));
const port = await new Promise<number>((resolve) => {
  service.listen(0, "127.0.0.1", () => {
    const address = service.address();
    resolve(typeof address === "object" && address ? address.port : 0);
  });
});
let failed = 0;
try {
  await make();
} finally {
  service.close();
  await backend.reset();
  await sandboxd.stop();
  await model.close();
  rmSync(folder, { recursive: true, force: true });
}
title(failed === 0 ? "Done: nothing is left behind" : `${failed} of these were not as they should be`);
process.exitCode = failed === 0 ? 0 : 1;

async function make(): Promise<void> {
  title("Making a sandbox for a small project");
  const start = performance.now();
  const sandbox = await backend.create({
    name: "demo",
    agent: "claude",
    workspaces: [{ path: workspace, readOnly: false }],
    network: { policy: "deny", hostPorts: [port] },
    onProgress: (line) => say(line),
  });
  await run(sandbox, ["true"]);
  say(`ready, first command done after ${Math.round(performance.now() - start)} ms`);
  await use(sandbox);
  await reach(sandbox);
  await work(sandbox);
  await attack(sandbox);
  await sandbox.close();
  title("Removing it");
  const stop = performance.now();
  await backend.remove("demo");
  say(`gone after ${Math.round(performance.now() - stop)} ms`);
}

async function use(sandbox: Sandbox): Promise<void> {
  title("Using it");
  for (const command of [
    "id -un",
    "node --version",
    "git log --oneline",
    "echo made inside > made-inside.txt",
  ]) {
    const { text } = await run(sandbox, ["sh", "-c", command]);
    say(`$ ${command}${text ? `\n    ${text}` : ""}`);
  }
  say(
    `and on this machine, made-inside.txt says: ${readFileSync(join(workspace, "made-inside.txt"), "utf8").trim()}`,
  );
  const times: number[] = [];
  for (let round = 0; round < 50; round += 1) {
    const before = performance.now();
    await run(sandbox, ["true"]);
    times.push(performance.now() - before);
  }
  say(`50 more commands, half of them within ${times.sort((a, b) => a - b)[25]?.toFixed(1)} ms`);
}

/** It has no network interface: what it reaches, sandboxd reaches for it. */
async function reach(sandbox: Sandbox): Promise<void> {
  title("Reaching out, under the policy deny and with one service of this machine declared");
  for (const url of [`http://host.docker.internal:${port}/`, "http://example.test/"]) {
    const { text } = await run(sandbox, ["curl", "-s", url]);
    say(`$ curl ${url}\n    ${text.replaceAll("\n", "\n    ")}`);
  }
}

/** What it holds in place of a key is a placeholder; the gateway of sandboxd puts the real one in. */
async function work(sandbox: Sandbox): Promise<void> {
  title("Letting the real Claude Code work in it, on a scripted model");
  const done = await letAgentWork({ sandbox, sandboxd, folder, cwd: workspace }, say);
  const changed = readFileSync(join(workspace, "greet.mjs"), "utf8").includes("Good morning");
  if (!done || !changed) failed += 1;
  const { text } = await run(sandbox, ["sh", "-c", "git diff --stat; env | grep ANTHROPIC"]);
  say(`what it changed, and what it has for a key:\n    ${text.replaceAll("\n", "\n    ")}`);
}

async function attack(sandbox: Sandbox): Promise<void> {
  title("Attacking it, as the agent");
  for (const { name, script, stopped } of attacks) {
    const { text, code } = await run(sandbox, ["bash", "-c", script]);
    const safe = stopped(text, code);
    if (!safe) failed += 1;
    say(`${safe ? "stopped" : "GOT THROUGH"}: ${name}${safe ? "" : `\n    ${text}`}`);
  }
  const { code } = await run(sandbox, ["sh", "-c", "exit 7"]);
  if (code !== 7) failed += 1;
  say(`and the supervisor still tells the truth: \`exit 7\` is ${code}`);
}

async function run(sandbox: Sandbox, command: string[]): Promise<{ text: string; code: number | null }> {
  const { exit, output } = await collect(await sandbox.exec(command, { timeoutMs: 20_000 }));
  return { text: output.toString("utf8").trim(), code: exit.code };
}

function title(text: string): void {
  process.stdout.write(`\n${text}\n`);
}

function say(text: string): void {
  process.stdout.write(`  ${text}\n`);
}
