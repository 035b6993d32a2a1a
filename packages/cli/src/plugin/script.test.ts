import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { pluginMetadata } from "./metadata.ts";
import { pluginScript } from "./script.ts";

let folder: string;
let script: string;

beforeEach(() => {
  // Quotes and spaces, since a folder of the user's may have them.
  folder = join(mkdtempSync(join(tmpdir(), "plugin-")), 'it\'s a "folder" $HOME');
  mkdirSync(folder);
  for (const name of ["docker-sandbox.js", "sandbox-exec.cjs"]) writeFileSync(join(folder, name), "");
  script = join(folder, "docker-sandbox");
  write(fakeNode());
});

afterEach(() => rmSync(join(folder, ".."), { recursive: true }));

describe("the plugin's script", () => {
  test("answers docker's question without node", () => {
    write("/nowhere/node");
    const answer = execFileSync(script, ["docker-cli-plugin-metadata"], { env: { PATH: "/nowhere" } });
    expect(JSON.parse(answer.toString())).toEqual(pluginMetadata);
  });

  test("starts the lean client for exec, and the full program for everything else", () => {
    expect(run(["sandbox", "exec", "box", "a b", ""]).args).toEqual([
      join(folder, "sandbox-exec.cjs"),
      "sandbox",
      "exec",
      "box",
      "a b",
      "",
    ]);
    expect(run(["sandbox", "ls"]).args[0]).toBe(join(folder, "docker-sandbox.js"));
    expect(run(["--context", "x", "sandbox", "exec"]).args[0]).toBe(join(folder, "docker-sandbox.js"));
  });

  test("puts NODE_EXTRA_CA_CERTS aside, except where the engine is spoken to by TLS", () => {
    const env = { NODE_EXTRA_CA_CERTS: "/certs" };
    expect(run(["sandbox", "ls"], env)).toMatchObject({ certificates: "", kept: "/certs" });
    expect(run(["sandbox", "ls"], { ...env, DOCKER_HOST: "tcp://x:2376" })).toMatchObject({
      certificates: "/certs",
      kept: "",
    });
  });

  test("says what to do when openTiger was moved away", () => {
    rmSync(join(folder, "docker-sandbox.js"));
    const { status, stderr } = spawnSync(script, ["sandbox", "ls"], { encoding: "utf8" });
    expect(status).toBe(125);
    expect(stderr).toContain("opentiger sandbox install-plugin");
  });
});

function write(node: string): void {
  writeFileSync(script, pluginScript({ node, bundles: folder }));
  chmodSync(script, 0o755);
}

/** Prints what it was started with, so that the test sees what node would have seen. */
function fakeNode(): string {
  const path = join(folder, "node");
  writeFileSync(
    path,
    `#!/bin/sh\nprintf '%s\\n' "$NODE_EXTRA_CA_CERTS" "$OPENTIGER_NODE_EXTRA_CA_CERTS" "$@"\n`,
  );
  chmodSync(path, 0o755);
  return path;
}

function run(args: string[], env: NodeJS.ProcessEnv = {}) {
  const output = execFileSync(script, args, { env: { PATH: process.env["PATH"], ...env }, encoding: "utf8" });
  const [certificates, kept, ...rest] = output.split("\n").slice(0, -1);
  return { certificates, kept, args: rest };
}
