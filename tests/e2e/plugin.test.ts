import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newUser, opentigerBundle, type User } from "../setup/command-line.ts";
import { temporaryFolder, temporaryWorkspace } from "../setup/temporary-workspace.ts";

let user: User;
let plugin: string;

beforeAll(async () => {
  user = await newUser();
  plugin = join(user.home, ".docker", "cli-plugins", "docker-sandbox");
});

beforeEach(async () => {
  rmSync(plugin, { force: true });
  expect(await user.opentiger("sandbox", "install-plugin")).toMatchObject({ status: 0 });
});

describe("the plugin", () => {
  it("B1 is one that docker lists as good", async () => {
    const { stdout } = await user.run(["docker", "info", "--format", "{{json .ClientInfo.Plugins}}"]);
    const plugins: { Name: string; Err?: string; Version: string; Vendor: string }[] = JSON.parse(stdout);
    expect(plugins.find(({ Name }) => Name === "sandbox")).toMatchObject({
      Vendor: "openTiger",
      Version: expect.stringMatching(/^0\.1[1-9]\./),
    });
    expect(plugins.find(({ Name }) => Name === "sandbox")?.Err).toBeUndefined();
    expect((await user.run(["docker", "--help"])).stdout).toMatch(/sandbox\* +Sandboxes for coding agents/);
  });

  it("B14 docker does not know `sandbox` without it, and installing it mends that", async () => {
    await user.opentiger("sandbox", "uninstall-plugin");
    expect((await user.sandbox("version")).status).not.toBe(0);
    await user.opentiger("sandbox", "install-plugin");
    expect((await user.sandbox("version")).status).toBe(0);
  });

  it("honours docker's own flags: context, config and host", async () => {
    const endpoint = `host=${user.env["DOCKER_HOST"]}`;
    expect((await user.run(["docker", "context", "create", "good", "--docker", endpoint])).status).toBe(0);
    const nowhere = "host=unix:///nowhere/docker.sock";
    await user.run(["docker", "context", "create", "bad", "--docker", nowhere]);
    const noHost = { env: { DOCKER_HOST: undefined } };
    expect((await user.run(["docker", "--context", "good", "sandbox", "ls"], noHost)).status).toBe(0);
    expect((await user.run(["docker", "sandbox", "ls", "--context", "good"], noHost)).status).toBe(0);
    expect((await user.run(["docker", "--context", "bad", "sandbox", "ls"], noHost)).status).toBe(69);
    await user.run(["docker", "context", "use", "bad"], noHost);
    expect((await user.run(["docker", "sandbox", "ls"], noHost)).status).toBe(69);
    const host = String(user.env["DOCKER_HOST"]);
    expect((await user.run(["docker", "-H", host, "sandbox", "ls"], noHost)).status).toBe(0);
    expect((await user.run(["docker", "sandbox", "ls", "--context", "none-such"], noHost)).status).toBe(64);
    await user.run(["docker", "context", "use", "default"], noHost);
  });

  it("goes to DOCKER_CONFIG where that is set", async () => {
    const config = temporaryFolder();
    const env = { DOCKER_CONFIG: config };
    const installed = await user.run(
      [process.execPath, opentigerBundle, "sandbox", "install-plugin", "--json"],
      { env },
    );
    expect(JSON.parse(installed.stdout)).toEqual({
      path: join(config, "cli-plugins", "docker-sandbox"),
      change: "installed",
    });
    expect((await user.run(["docker", "sandbox", "version"], { env })).status).toBe(0);
  });

  it("gives exec the caller's certificates by name, although it starts without them", async () => {
    const workspace = temporaryWorkspace();
    await user.sandbox("create", "-q", "--name", "certs", "shell", workspace);
    const env = { NODE_EXTRA_CA_CERTS: "/somewhere/ca.pem" };
    const words = ["docker", "sandbox", "exec", "-e", "NODE_EXTRA_CA_CERTS", "certs", "printenv"] as const;
    const { stdout } = await user.run(words, { env });
    expect(stdout).toMatch(/^NODE_EXTRA_CA_CERTS=\/somewhere\/ca\.pem$/m);
    expect(stdout).not.toContain("OPENTIGER_");
  });

  it("works from a copy elsewhere, in a folder with spaces and quotes", async () => {
    const folder = join(temporaryFolder(), "it's a folder");
    mkdirSync(folder);
    for (const name of readdirSync(dirname(opentigerBundle)).filter((each) => /\.c?js$/.test(each))) {
      copyFileSync(join(dirname(opentigerBundle), name), join(folder, name));
    }
    writeFileSync(join(folder, "package.json"), '{"type":"module"}');
    await user.run([process.execPath, join(folder, "opentiger.js"), "sandbox", "install-plugin"]);
    expect(readFileSync(plugin, "utf8")).toContain("a folder");
    expect((await user.sandbox("version")).status).toBe(0);
    rmSync(folder, { recursive: true });
    const moved = await user.sandbox("version");
    expect(moved.status).toBe(125);
    expect(moved.stderr).toContain("opentiger sandbox install-plugin");
  });
});

describe("a plugin of somebody else's", () => {
  const theirs = "#!/bin/sh\necho theirs\n";

  beforeEach(() => writeFileSync(plugin, theirs, { mode: 0o755 }));

  it("is not replaced, and the error says how it could be", async () => {
    const refused = await user.opentiger("sandbox", "install-plugin");
    expect(refused).toMatchObject({ status: 68, stdout: "" });
    expect(refused.stderr).toMatch(/is not openTiger's[\s\S]*--force/);
    expect(readFileSync(plugin, "utf8")).toBe(theirs);
    expect(readdirSync(dirname(plugin))).toEqual(["docker-sandbox"]);
  });

  it("is not removed by uninstall-plugin", async () => {
    expect(await user.opentiger("sandbox", "uninstall-plugin")).toMatchObject({ status: 68 });
    expect(readFileSync(plugin, "utf8")).toBe(theirs);
  });

  it("is replaced by --force", async () => {
    expect((await user.opentiger("sandbox", "install-plugin", "--force")).status).toBe(0);
    expect((await user.sandbox("version")).stdout).toMatch(/^docker-sandbox version/);
    expect(statSync(plugin).mode & 0o777).toBe(0o755);
  });
});
