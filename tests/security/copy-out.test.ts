import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { SandboxError } from "../../packages/sandbox/src/errors.ts";
import { copyOut } from "../../packages/sandbox/src/files/copy-out.ts";
import type { Sandbox } from "../../packages/sandbox/src/sandbox.ts";
import { attackCommand } from "../setup/attack.ts";
import { docker } from "../setup/docker.ts";
import { placeOf } from "../setup/place.ts";
import { plainContainer } from "../setup/plain-container.ts";
import { type Instance, newInstance, newSandbox } from "../setup/sandbox.ts";
import { agentUid, isRoot, temporaryFolder, temporaryWorkspace } from "../setup/temporary-workspace.ts";

const canary = "only-for-the-user";
let instance: Instance;

beforeAll(async () => {
  instance = await newInstance();
});

/** Beside the workspace, what the user has and the agent must not touch. */
function outside(): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "secret"), canary);
  chmodSync(folder, 0o777);
  return folder;
}

async function inPlace(
  place: { run(command: readonly string[]): Promise<{ code: number }> },
  script: string,
) {
  expect((await place.run(["sh", "-c", script])).code).toBe(0);
}

describe("attack 8 a result that is a link to a file of the user's", () => {
  const plant = (target: string): string => `ln -s '${target}' report`;

  test("is followed by a host that reads it out of a mounted workspace, or after docker cp", async () => {
    const workspace = temporaryWorkspace();
    const plain = await plainContainer(workspace);
    await inPlace(plain, plant(join(outside(), "secret")));
    expect(readFileSync(join(workspace, "report"), "utf8")).toBe(canary);
    const copied = join(temporaryFolder(), "report");
    await docker("cp", `${plain.name}:${workspace}/report`, copied);
    expect(readFileSync(copied, "utf8")).toBe(canary);
  });

  test("is refused by ours, alone or in a folder, absolute or relative", async () => {
    const workspace = temporaryWorkspace();
    const sandbox = await newSandbox(instance, workspace);
    const secret = join(outside(), "secret");
    await inPlace(
      placeOf(sandbox),
      `mkdir results && cd results && ${plant(secret)} && ln -s ../../../../..${secret} relative`,
    );
    const to = join(temporaryFolder(), "copy");
    for (const from of ["results/report", "results/relative", "results"]) {
      await expect(copyOut(sandbox, { from, to })).rejects.toMatchObject({ code: "copy_refused" });
    }
    expect(readdirSync(dirname(to))).toEqual([]);
  });
});

describe("attack 8 a result that is a pipe", () => {
  test("stops a host that reads it out of a mounted workspace", async () => {
    const workspace = temporaryWorkspace();
    await inPlace(await plainContainer(workspace), "mkfifo report");
    const reading = () => execFileSync("cat", [join(workspace, "report")], { timeout: 1000 });
    expect(reading).toThrowError(expect.objectContaining({ code: "ETIMEDOUT" }));
  });

  test("is refused by ours, at once", async () => {
    const sandbox = await newSandbox(instance, temporaryWorkspace());
    await inPlace(placeOf(sandbox), "mkfifo report");
    const to = join(temporaryFolder(), "copy");
    await expect(copyOut(sandbox, { from: "report", to })).rejects.toMatchObject({
      code: "copy_refused",
      message: expect.stringContaining("FIFO"),
    });
  });
});

describe("attack 8 a program that would run as someone else, and a hard link", () => {
  test("keep their bits in a mounted workspace", async () => {
    const workspace = temporaryWorkspace();
    await inPlace(await plainContainer(workspace), "cp /bin/true tool && chmod 6755 tool && ln tool other");
    expect(statSync(join(workspace, "tool")).mode & 0o6000).toBe(0o6000);
    expect(statSync(join(workspace, "other")).nlink).toBe(2);
  });

  test("come out of ours as plain files of their own", async () => {
    const sandbox = await newSandbox(instance, temporaryWorkspace());
    await inPlace(
      placeOf(sandbox),
      "mkdir d && cp /bin/true d/tool && chmod 6755 d/tool && ln d/tool d/other",
    );
    const to = join(temporaryFolder(), "copy");
    await copyOut(sandbox, { from: "d", to });
    for (const name of ["tool", "other"]) {
      expect(statSync(join(to, name)).mode & 0o7777).toBe(0o755);
      expect(statSync(join(to, name)).nlink).toBe(1);
    }
  });
});

describe("attack 8 more than the host has room for", () => {
  test("fills a host that copies it with docker cp", async () => {
    const plain = await plainContainer(temporaryWorkspace());
    await inPlace(plain, "truncate -s 50M /tmp/bomb");
    const to = join(temporaryFolder(), "copy");
    await docker("cp", `${plain.name}:/tmp/bomb`, to);
    expect(statSync(to).size).toBe(50 * 1024 ** 2);
  });

  test("is stopped by ours at the limit, and what had come is removed", async () => {
    const sandbox = await newSandbox(instance, temporaryWorkspace());
    await inPlace(
      placeOf(sandbox),
      "mkdir /tmp/d && truncate -s 50M /tmp/d/bomb && seq -f /tmp/d/%g 2000 | xargs touch",
    );
    const to = join(temporaryFolder(), "copy");
    for (const limits of [{ bytes: 10_000_000 }, { entries: 1000 }]) {
      await expect(copyOut(sandbox, { from: "/tmp/d", to, limits })).rejects.toMatchObject({
        code: "copy_refused",
        message: expect.stringContaining("limit"),
      });
    }
    expect(readdirSync(dirname(to))).toEqual([]);
  });
});

describe("attack 8 a folder of the workspace that becomes a link while the host writes there", () => {
  function openOutside(): string {
    const folder = outside();
    if (isRoot) chownSync(folder, agentUid, agentUid);
    return folder;
  }

  test("leads a host astray that writes a file into a mounted workspace", async () => {
    const workspace = temporaryWorkspace();
    const target = openOutside();
    await inPlace(await plainContainer(workspace), `mkdir results && ln -s '${target}' results/sub`);
    writeFileSync(join(workspace, "results/sub/planted"), "from the host");
    expect(existsSync(join(target, "planted"))).toBe(true);
  });

  test("does not lead ours astray", async () => {
    const workspace = temporaryWorkspace();
    const target = openOutside();
    const sandbox = await newSandbox(instance, workspace);
    const plant = `mkdir -p results/sub && ln -s '${target}' link`;
    const files = "mkdir -p /tmp/d/sub && seq -f /tmp/d/sub/planted-%g 50 | xargs touch";
    await inPlace(placeOf(sandbox), `${plant} && ${files}`);
    const swapping = await sandbox.exec(attackCommand("swap.py", "results/sub", "link"));
    try {
      const outcomes = new Set<string>();
      for (let n = 0; n < 60; n += 1) outcomes.add(await outcomeOf(sandbox, join(workspace, "results")));
      // Both must have been met, or the race was none.
      expect(outcomes).toEqual(new Set(["copied", "refused"]));
      expect(readdirSync(target)).toEqual(["secret"]);
    } finally {
      await swapping.kill();
    }
    expect(readdirSync(join(workspace, "results")).filter((name) => name.startsWith(".opentiger"))).toEqual(
      [],
    );
  });
});

async function outcomeOf(sandbox: Sandbox, to: string): Promise<string> {
  try {
    await copyOut(sandbox, { from: "/tmp/d/.", to });
    return "copied";
  } catch (error) {
    expect(error).toBeInstanceOf(SandboxError);
    return "refused";
  }
}
