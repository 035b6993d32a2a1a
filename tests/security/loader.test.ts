import { chmodSync, copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import type { Sandbox } from "../../packages/sandbox/src/sandbox.ts";
import { docker } from "../setup/docker.ts";
import { runIn } from "../setup/place.ts";
import { plainContainer } from "../setup/plain-container.ts";
import { type Instance, newInstance, newSandbox } from "../setup/sandbox.ts";
import { agentUid, isRoot, rootWorkspace, temporaryWorkspace } from "../setup/temporary-workspace.ts";
import { until } from "../setup/until.ts";

const source = fileURLToPath(new URL("./attacks/spy.c", import.meta.url));
const noRights = "rights=0000000000000000";
let instance: Instance;

beforeAll(async () => {
  instance = await newInstance();
});

describe("attack 39 a library of the agent's, named by LD_PRELOAD, is loaded by what still has root's rights", () => {
  test("when plain `docker exec` runs setpriv with the command's environment", async () => {
    const trap = layTrap(temporaryWorkspace());
    const plain = await plainContainer(trap.workspace, { user: "0:0" });
    await plain.run(trap.compile);
    await docker("exec", ...trap.flags, plain.name, "setpriv", `--reuid=${agentUid}`, "true");
    const [asRoot, ...asAgent] = trap.notes();
    expect(asRoot).toMatch(/^uid=0 rights=0*[1-9a-f]/);
    expect(asAgent.length).toBeGreaterThan(0);
  });

  test("not in ours: only the command itself loads it", async () => {
    const trap = layTrap(temporaryWorkspace());
    const sandbox = await newSandbox(instance, trap.workspace, { env: trap.env });
    await runIn(sandbox, trap.compile);
    const before = trap.notes().length;
    expect((await runIn(sandbox, ["sh", "-c", "exit 7"])).code).toBe(7);
    const loaded = trap.notes().slice(before);
    expect(new Set(loaded)).toEqual(new Set([`uid=${agentUid} ${noRights}`]));
  });

  test("not in ours when a terminal is opened, whatever the agent has put first in its PATH", async () => {
    const trap = layTrap(temporaryWorkspace());
    const sandbox = await newSandbox(instance, trap.workspace);
    await runIn(sandbox, trap.compile);
    writeFileSync(join(trap.workspace, "shadow"), shadowTool(trap.env), { mode: 0o755 });
    const plant = "for name in env chmod echo stty sh; do cp shadow $folder/$name; done";
    const everywhere = `for folder in ~/.local/bin ~/.npm-global/bin; do mkdir -p $folder; ${plant}; done`;
    await runIn(sandbox, ["sh", "-c", everywhere]);
    await useTerminal(sandbox);
    expect(trap.notes().filter((line) => !line.endsWith(noRights))).toEqual([]);
    await useTerminal(sandbox, trap.env);
    expect(new Set(trap.notes())).toEqual(new Set([`uid=${agentUid} ${noRights}`]));
  });

  test.skipIf(!isRoot)("not in ours where the agent is root", async () => {
    const trap = layTrap(rootWorkspace());
    const sandbox = await newSandbox(instance, trap.workspace);
    await runIn(sandbox, trap.compile);
    // Where root could plant it for every program of the image, ours have none of the image's loader settings.
    await runIn(sandbox, ["sh", "-c", `echo ${join(trap.workspace, "spy.so")} > /etc/ld.so.preload || true`]);
    expect((await runIn(sandbox, ["sh", "-c", "exit 7"], { env: trap.env })).code).toBe(7);
    await instance.backend.stop(sandbox.name);
    await instance.backend.open(sandbox.name);
    expect(new Set(trap.notes())).toEqual(new Set([`uid=0 ${noRights}`]));
  });
});

/** A workspace with the spy's source, and what it takes to build it inside and to have it loaded. */
function layTrap(workspace: string) {
  // As most projects are: open to be read by all, so that not the modes of the folder stop a process of root's.
  chmodSync(workspace, 0o755);
  copyFileSync(source, join(workspace, "spy.c"));
  writeFileSync(join(workspace, "notes"), "");
  chmodSync(join(workspace, "notes"), 0o666);
  const env = { LD_PRELOAD: join(workspace, "spy.so"), SPY_NOTES: join(workspace, "notes") };
  return {
    workspace,
    env,
    flags: Object.entries(env).flatMap(([name, value]) => ["--env", `${name}=${value}`]),
    compile: ["gcc", "-shared", "-fPIC", "-o", join(workspace, "spy.so"), join(workspace, "spy.c")],
    notes: () => readFileSync(join(workspace, "notes"), "utf8").split("\n").filter(Boolean),
  };
}

/** Notes as whom it was started in place of another program, and answers as `env -0` would, with the trap added. */
function shadowTool(env: { LD_PRELOAD: string; SPY_NOTES: string }): string {
  return [
    "#!/bin/sh",
    `echo "uid=$(id -u) rights=$(sed -n 's/CapEff:\\t//p' /proc/self/status)" >> ${env.SPY_NOTES}`,
    `printf 'LD_PRELOAD=${env.LD_PRELOAD}\\0SPY_NOTES=${env.SPY_NOTES}\\0PATH=%s\\0' "$PATH"`,
  ].join("\n");
}

async function useTerminal(sandbox: Sandbox, env: Record<string, string> = {}): Promise<void> {
  const terminal = await sandbox.terminal(["/bin/sh", "-c", "echo from-the-terminal"], {
    columns: 80,
    rows: 24,
    env,
  });
  let said = "";
  terminal.stream.on("data", (piece: Buffer) => {
    said += piece.toString();
  });
  await terminal.exit;
  await until("the terminal has said its line", () => said.includes("from-the-terminal"));
}
