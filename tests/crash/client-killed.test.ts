import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { HostBackend } from "../../packages/sandbox/src/backends/host/host-backend.ts";
import { openState } from "../../packages/sandbox/src/state/state.ts";
import { atEnd } from "../setup/at-end.ts";
import { tcpEngine } from "../setup/engine-proxy.ts";
import { userRepository } from "../setup/loop-world.ts";
import { newInstance, newSandbox } from "../setup/sandbox.ts";
import { soak } from "../setup/soak.ts";
import { temporaryFolder, temporaryWorkspace } from "../setup/temporary-workspace.ts";
import { type Count, followThroughKills } from "./killed-clients.ts";

const kills = soak ? 200 : 5;
const last = kills * 60_000;
const timeoutMs = kills * 20_000;
const folder = temporaryFolder();

describe(`a client that is killed ${kills} times in the middle of an exec that counts`, () => {
  let over: Record<"socket" | "exec-stdio" | "host", Pick<Count, "backend" | "sandbox" | "env">>;

  beforeAll(async () => {
    over = { socket: await overSocket(), "exec-stdio": await overExecStdio(), host: await onHost() };
  });

  const ways = ["socket", "exec-stdio", "host"] as const;
  test.each(ways)(
    "is followed by one that goes on after its last byte, so that every number is there once: %s",
    async (way) => {
      const file = join(folder, `${way}.txt`);
      const count = { ...over[way], id: randomUUID(), file, last };
      expect(await followThroughKills(count, kills)).toBe(0);
      expect(firstDifference(readFileSync(file, "utf8"), last)).toBeUndefined();
    },
    timeoutMs,
  );
});

async function overSocket() {
  const instance = await newInstance();
  const { name, id } = await newSandbox(instance, temporaryWorkspace());
  expect(openState(instance.home).records.read(id)?.carrier).toBe("socket");
  return { backend: "docker", sandbox: name, env: instance.env } as const;
}

async function overExecStdio() {
  const instance = await newInstance({ ...process.env, DOCKER_HOST: await tcpEngine() });
  const { name, id } = await newSandbox(instance, userRepository({ "README.md": "one commit\n" }), {
    workspaceKind: "clone",
  });
  expect(openState(instance.home).records.read(id)?.carrier).toBe("exec-stdio");
  return { backend: "docker", sandbox: name, env: instance.env } as const;
}

async function onHost() {
  const home = temporaryFolder("ot-");
  const backend = new HostBackend(openState(home));
  atEnd(() => backend.reset());
  const workspaces = [{ path: temporaryWorkspace(), readOnly: false }];
  const sandbox = await backend.create({ agent: "shell", workspaces });
  await sandbox.close();
  return { backend: "host", sandbox: sandbox.name, env: { ...process.env, OPENTIGER_HOME: home } } as const;
}

/** The first line that is not its own number; undefined when all numbers are there, each once, and nothing else. */
function firstDifference(text: string, count: number): string | undefined {
  const lines = text.split("\n");
  if (lines.pop() !== "") return "the last line is cut";
  const wrong = lines.findIndex((line, index) => line !== String(index + 1));
  if (wrong >= 0) return `line ${wrong + 1} is ${lines[wrong]}`;
  return lines.length === count ? undefined : `${lines.length} lines`;
}
