import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { beforeAll, describe, expect, test } from "vitest";
import { copyIn } from "../../packages/sandbox/src/files/copy-in.ts";
import { copyOut } from "../../packages/sandbox/src/files/copy-out.ts";
import { oldTime, readTree, writeTree } from "../../packages/sandbox/src/files/tree-fixture.ts";
import type { Sandbox } from "../../packages/sandbox/src/sandbox.ts";
import { fullSize, fullSizeTimeout, makeFile, makeFiles } from "../setup/full-size.ts";
import { runIn } from "../setup/place.ts";
import { newInstance, newSandbox } from "../setup/sandbox.ts";
import { agentUid, temporaryFolder, temporaryWorkspace } from "../setup/temporary-workspace.ts";

let sandbox: Sandbox;
const workspace = temporaryWorkspace();

beforeAll(async () => {
  sandbox = await newSandbox(await newInstance(), workspace);
});

async function said(script: string): Promise<string> {
  const { code, stdout, stderr } = await runIn(sandbox, ["sh", "-c", script]);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout.trim();
}

describe("copying into a sandbox", () => {
  test("a file arrives with mode and time, and belongs to the agent", async () => {
    const at = temporaryFolder();
    writeTree(at, { tool: { file: "#!/bin/sh\necho copied\n", mode: 0o755 } });
    await copyIn(sandbox, { from: join(at, "tool"), to: "/tmp/tool" });
    expect(await said("/tmp/tool && stat -c '%u %a %Y' /tmp/tool")).toBe(
      `copied\n${agentUid} 755 ${oldTime.getTime() / 1000}`,
    );
  });

  test("a tree arrives as it was, and comes back as it was", async () => {
    const at = temporaryFolder();
    writeTree(join(at, "tree"), {
      "a b/ü\n'\"": { file: "odd names" },
      [`${"long/".repeat(40)}file`]: { file: "deep" },
      empty: "folder",
      link: { link: "a b" },
      exe: { file: "x", mode: 0o755 },
    });
    await copyIn(sandbox, { from: join(at, "tree"), to: "/tmp/tree" });
    await copyOut(sandbox, { from: "/tmp/tree", to: join(at, "back") });
    expect(readTree(join(at, "back"))).toEqual(readTree(join(at, "tree")));
  });

  test("a relative path means the workspace", async () => {
    const at = temporaryFolder();
    writeTree(at, { note: { file: "note\n" } });
    await copyIn(sandbox, { from: join(at, "note"), to: "note" });
    expect(readFileSync(join(workspace, "note"), "utf8")).toBe("note\n");
    expect(statSync(join(workspace, "note")).uid).toBe(agentUid);
  });

  test("an archive is unpacked from a stream", async () => {
    const at = temporaryFolder();
    writeTree(at, { "x/y": { file: "y" } });
    const archive = execFileSync("tar", ["-cf", "-", "-C", at, "x"]);
    await said("mkdir /tmp/unpacked");
    await copyIn(sandbox, { from: Readable.from([archive]), to: "/tmp/unpacked" });
    expect(await said("cat /tmp/unpacked/x/y")).toBe("y");
  });

  test.each([
    ["/etc/opentiger-planted", "copy_refused"],
    ["/nowhere/file", "not_found"],
  ])("to %s: %s, and nothing is left", async (to, code) => {
    const at = temporaryFolder();
    writeTree(at, { file: { file: "x" } });
    await expect(copyIn(sandbox, { from: join(at, "file"), to })).rejects.toMatchObject({ code });
    expect(await said("ls -A /etc | grep opentiger || true")).toBe("");
  });
});

describe("copying out of a sandbox", () => {
  test("a file and a folder land where docker cp would put them", async () => {
    const at = temporaryFolder();
    mkdirSync(join(at, "dir"));
    await said("mkdir -p /tmp/out/sub && echo 1 > /tmp/out/one && echo 2 > /tmp/out/sub/two");
    await copyOut(sandbox, { from: "/tmp/out/one", to: join(at, "renamed") });
    await copyOut(sandbox, { from: "/tmp/out", to: join(at, "dir") });
    await copyOut(sandbox, { from: "/tmp/out/.", to: join(at, "dir") });
    expect(Object.keys(readTree(at))).toEqual([
      "dir",
      "dir/one",
      "dir/out",
      "dir/out/one",
      "dir/out/sub",
      "dir/out/sub/two",
      "dir/sub",
      "dir/sub/two",
      "renamed",
    ]);
  });

  test("a stream gets an archive", async () => {
    const to = new PassThrough();
    await said("mkdir -p /tmp/out && echo 1 > /tmp/out/one");
    const [archive] = await Promise.all([
      buffer(to),
      copyOut(sandbox, { from: "/tmp/out/one", to }).finally(() => to.end()),
    ]);
    expect(execFileSync("tar", ["-xOf", "-", "./one"], { input: archive, encoding: "utf8" })).toBe("1\n");
  });

  test("what is missing is said to be, and what cannot be read too", async () => {
    const to = join(temporaryFolder(), "copy");
    await expect(copyOut(sandbox, { from: "/nowhere", to })).rejects.toMatchObject({ code: "not_found" });
    await expect(copyOut(sandbox, { from: "/etc/shadow", to })).rejects.toMatchObject({
      code: "copy_refused",
      message: expect.stringContaining("Permission denied"),
    });
  });

  test("a file that grows meanwhile is copied, and that is said", async () => {
    const at = temporaryFolder();
    const growing = await sandbox.exec(["sh", "-c", "while :; do echo line; done > /tmp/growing"]);
    const lines: string[] = [];
    try {
      await expect
        .poll(async () => Number(await said("stat -c %s /tmp/growing 2>/dev/null || echo 0")), {
          timeout: 20_000,
        })
        .toBeGreaterThan(1_000_000);
      // A copy of a few milliseconds may fall between two lines: the next one is of a longer file.
      for (let tries = 0; tries < 20 && lines.length === 0; tries += 1) {
        await copyOut(sandbox, {
          from: "/tmp/growing",
          to: join(at, "copy"),
          onProgress: (line) => lines.push(line),
        });
      }
    } finally {
      await growing.kill();
    }
    expect(statSync(join(at, "copy")).size).toBeGreaterThan(1_000_000);
    expect(lines).toEqual([expect.stringContaining("changed as we read it")]);
  });

  test("an abort ends it in both directions and leaves nothing", async () => {
    const at = temporaryFolder();
    const abort = new AbortController();
    await said("mkdir -p /tmp/in && head -c 50000000 /dev/zero > /tmp/in/zeros");
    const copying = copyOut(sandbox, { from: "/tmp/in", to: join(at, "copy"), signal: abort.signal });
    await expect.poll(() => readdirSync(at).length).toBeGreaterThan(0);
    abort.abort();
    await expect(copying).rejects.toMatchObject({ code: "cancelled" });
    expect(readdirSync(at)).toEqual([]);
  });
});

describe("much of it", () => {
  const { fileMegabytes, files } = fullSize;

  test(`${fileMegabytes} MB in one file, there and back`, { timeout: fullSizeTimeout }, async () => {
    const at = temporaryFolder();
    makeFile(join(at, "big"), fileMegabytes);
    await copyIn(sandbox, { from: join(at, "big"), to: "/tmp/big" });
    await copyOut(sandbox, { from: "/tmp/big", to: join(at, "back") });
    const sums = execFileSync("sha256sum", [join(at, "big"), join(at, "back")], { encoding: "utf8" });
    expect(new Set(sums.match(/^[0-9a-f]{64}/gm)).size).toBe(1);
    await said("rm /tmp/big");
  });

  test(`${files} files, there and back`, { timeout: fullSizeTimeout }, async () => {
    const at = temporaryFolder();
    makeFiles(join(at, "many"), files);
    await copyIn(sandbox, { from: join(at, "many"), to: "/tmp/many" });
    expect(await said("find /tmp/many -type f | wc -l")).toBe(String(files));
    await copyOut(sandbox, { from: "/tmp/many", to: join(at, "back") });
    execFileSync("diff", ["-r", join(at, "many"), join(at, "back")]);
  });
});
