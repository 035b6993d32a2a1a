import { collect, connectDocker, type Sandbox } from "@opentiger/sandbox";
import { outwardThrough, Sandboxd } from "@opentiger/sandboxd";
import { attacks } from "./attacks.ts";
import { say, title } from "./words.ts";

/** Attacks a sandbox as the agent in it could. Returns what got through. */
export async function attackSandbox({
  env,
  project,
}: {
  env: NodeJS.ProcessEnv;
  project: string;
}): Promise<string[]> {
  const backend = await connectDocker({ env, outward: outwardThrough(new Sandboxd(env), env, undefined) });
  title("Attacking a sandbox, as the agent in it could");
  const start = performance.now();
  const sandbox = await backend.create({
    name: "demo-attacked",
    agent: "claude",
    workspaces: [{ path: project, readOnly: true }],
    workspaceKind: "clone",
    network: { policy: "deny" },
  });
  try {
    say(`made after ${Math.round(performance.now() - start)} ms`);
    return await attackAll(sandbox);
  } finally {
    await sandbox.close();
    await backend.remove("demo-attacked", { force: true });
  }
}

async function attackAll(sandbox: Sandbox): Promise<string[]> {
  const failures: string[] = [];
  for (const { name, steps } of attacks) {
    const through: string[] = [];
    for (const { script, stopped } of steps) {
      const { text, code } = await run(sandbox, ["bash", "-c", script]);
      if (!stopped(text, code)) through.push(`${name} got through with \`${script}\` (${code}): ${text}`);
    }
    failures.push(...through);
    say(`${through.length === 0 ? "stopped" : "GOT THROUGH"}: ${name}`);
  }
  const { code } = await run(sandbox, ["sh", "-c", "exit 7"]);
  if (code !== 7) failures.push(`\`exit 7\` was reported as ${code}`);
  say(`and the supervisor still tells the truth: \`exit 7\` is ${code}`);
  return failures;
}

async function run(sandbox: Sandbox, command: string[]): Promise<{ text: string; code: number | null }> {
  const { exit, output } = await collect(await sandbox.exec(command, { timeoutMs: 20_000 }));
  return { text: output.toString("utf8").trim(), code: exit.code };
}
