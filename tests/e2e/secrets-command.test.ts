import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import { type Ended, ended } from "../setup/command-line.ts";
import { temporaryFolder } from "../setup/temporary-workspace.ts";
import { until } from "../setup/until.ts";

const checkout = fileURLToPath(new URL("../..", import.meta.url));
const bundles = join(checkout, "packages", "cli", "dist");
const guide = join(checkout, "docs", "secrets.md");

let home: string;
let env: NodeJS.ProcessEnv;

/** A new user with nothing but our commands on the path, beside what every machine has. */
beforeEach(() => {
  home = temporaryFolder("ot-secrets-");
  const bin = join(home, "bin");
  mkdirSync(bin);
  for (const name of ["secrets", "opentiger"]) {
    const started = `exec "${process.execPath}" "${join(bundles, `${name}.js`)}" "$@"`;
    writeFileSync(join(bin, name), `#!/bin/sh\n${started}\n`, { mode: 0o755 });
  }
  env = { HOME: home, PATH: `${bin}:${process.env["PATH"]}`, LC_ALL: "C.UTF-8" };
});

function start(command: string, words: readonly string[]): ChildProcess {
  return spawn(command, words, { env, cwd: home, stdio: "pipe" });
}

function secrets(words: readonly string[], input?: string | Buffer): Promise<Ended> {
  return ended(start("secrets", words), input);
}

function shell(script: string, input?: string | Buffer): Promise<Ended> {
  return ended(start("sh", ["-ec", script]), input);
}

const vault = () => join(home, ".local", "state", "opentiger", "secrets");
const keyFile = () => join(home, ".config", "opentiger", "vault.key");

describe("B2 secrets add and lease", () => {
  it("B2 what add put in, lease gives back exactly", async () => {
    const { status, stdout } = await shell(`
      secrets add claude_setup_token --value sk-ant-oat01-given
      TOKEN=$(secrets lease claude_setup_token --ttl 1h --raw)
      printf '[%s]' "$TOKEN"`);
    expect({ status, stdout }).toEqual({ status: 0, stdout: "claude_setup_token\n[sk-ant-oat01-given]" });
  });

  it("B2 codex_auth_json is taken from stdin, all of it, and comes back byte for byte", async () => {
    const file = `{\n  "OPENAI_API_KEY": null,\n  "tokens": {\n    "access_token": "a.b.c"\n  }\n}\n`;
    writeFileSync(join(home, "auth.json"), file);
    const { status } = await shell(`
      secrets add codex_auth_json < auth.json
      secrets lease codex_auth_json --raw > back.json`);
    expect(status).toBe(0);
    expect(readFileSync(join(home, "back.json"), "utf8")).toBe(file);
  });

  it("B2 any bytes go through a pipe, NUL and line ends with them", async () => {
    const bytes = Buffer.from([0, 255, 10, 13, 10, 0, 195, 40, 10]);
    expect(await secrets(["add", "bytes"], bytes)).toMatchObject({ status: 0, stderr: "" });
    await shell("secrets lease bytes --raw > back");
    expect(readFileSync(join(home, "back"))).toEqual(bytes);
  });

  it("B2 every error leaves stdout empty and has an exit code of its own", async () => {
    await secrets(["add", "one"], "value");
    const failing: [number, string[], (() => void)?][] = [
      [80, ["lease", "two", "--raw"]],
      [81, ["add", "one", "--value", "x"]],
      [82, ["update", "one"]],
      [83, ["revoke", "0".repeat(20)]],
      [64, ["lease", "one", "--ttl", "31d", "--raw"]],
      [86, ["lease", "one", "--raw"], () => chmodSync(keyFile(), 0o644)],
      [85, ["lease", "one", "--raw"], () => rmSync(keyFile())],
    ];
    for (const [code, words, before] of failing) {
      before?.();
      const said = await secrets([...words, ...(words.includes("--raw") ? [] : ["--json"])], "");
      expect([words, said.status, said.stdout]).toEqual([words, code, ""]);
      expect(said.stderr).not.toBe("");
    }
  });

  it("B2 a store that cannot be read is never an empty store", async () => {
    await secrets(["add", "one"], "1");
    await secrets(["add", "two"], "2");
    const [older = "", newer = ""] = readdirSync(join(vault(), "values")).toSorted();
    writeFileSync(join(vault(), "values", newer), "damaged");
    for (const words of [["list"], ["add", "three"], ["lease", "one", "--raw"], ["status"]]) {
      const { status, stdout, stderr } = await secrets(words, "3");
      expect({ status, stdout }).toEqual({ status: 87, stdout: "" });
      expect(stderr).toContain(join(vault(), "values", older));
    }
  });

  it("B2 commands that run at the same time lose nothing", async () => {
    const names = Array.from({ length: 6 }, (_, number) => `s${number}`);
    const results = await Promise.all(names.map((name) => secrets(["add", name], `value of ${name}`)));
    expect(results.map(({ status }) => status)).toEqual(names.map(() => 0));
    expect((await secrets(["lease", "s3", "--raw"])).stdout).toBe("value of s3");
    const { secrets: listed } = JSON.parse((await secrets(["list", "--json"])).stdout);
    expect(listed.map(({ name }: { name: string }) => name)).toEqual(names);
  });

  it("B2 a value typed at the prompt is not shown and ends at its line", async () => {
    const typed = "typed-c4nary";
    const child = start("script", ["-qec", "stty cols 80; secrets add one", "/dev/null"]);
    let screen = "";
    child.stdout?.on("data", (data: Buffer) => {
      screen += data.toString();
    });
    await until("the prompt is there", () => screen.includes("Value of one"));
    child.stdin?.write(`${typed}\r`);
    await until("it has ended", () => child.exitCode !== null);
    expect(screen).not.toContain("c4nary");
    expect((await secrets(["lease", "one", "--raw"])).stdout).toBe(typed);
  });
});

describe("attack 25 leases", () => {
  it("end when they are revoked or their secret is deleted, and all of it is in the audit", async () => {
    await secrets(["add", "one"], "1");
    const first = (await secrets(["lease", "one", "--sandbox", "box"])).stdout.trim();
    const second = (await secrets(["lease", "one"])).stdout.trim();
    const held = async () =>
      JSON.parse((await secrets(["leases", "--json"])).stdout).leases.map(({ id }: { id: string }) => id);
    expect(await held()).toEqual([first, second]);
    expect(await secrets(["revoke", first])).toMatchObject({ status: 0, stdout: `${first}\n` });
    expect(await held()).toEqual([second]);
    await secrets(["delete", "one"]);
    expect(await held()).toEqual([]);
    const { events } = JSON.parse((await secrets(["audit", "--json"])).stdout);
    expect(
      events.map(({ action, lease, sandbox }: Record<string, unknown>) => [action, lease, sandbox]),
    ).toEqual([
      ["add", null, null],
      ["lease", first, "box"],
      ["lease", second, null],
      ["revoke", first, "box"],
      ["delete", null, null],
    ]);
    expect(events[0]).toMatchObject({
      program: "secrets",
      secret: "one",
      outcome: "ok",
      uid: process.getuid?.(),
    });
  });
});

describe("attack 23 a value", () => {
  it("is found nowhere on the disk and in nothing that was printed, except by lease --raw", async () => {
    const canary = "CANARY-2b8e41";
    const said = [
      await secrets(["add", "one"], canary),
      await secrets(["add", "one"], canary),
      await secrets(["add", "two", "--value", canary]),
      await secrets(["update", "one", "--json"], canary),
      await secrets(["list"]),
      await secrets(["lease", "one"]),
      await secrets(["leases", "--json"]),
      await secrets(["status"]),
      await secrets(["audit", "--json"]),
      await shell(`OPENTIGER_DEBUG=1 secrets add codex_auth_json --value '{"${canary}":' || true`),
      await shell(`OPENTIGER_DEBUG=1 secrets add one --vlaue=${canary} || true`),
    ];
    expect((await secrets(["lease", "one", "--raw"])).stdout).toBe(canary);
    expect(JSON.stringify(said)).not.toContain(canary);
    const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    expect(files.length).toBeGreaterThan(5);
    for (const file of files)
      expect(readFileSync(join(file.parentPath, file.name)).includes(canary), file.name).toBe(false);
  });
});

describe("B5 secrets status", () => {
  it("B5 knows the age and the end of the setup token, and how to renew what is missing", async () => {
    await secrets(["add", "claude_setup_token"], "sk-ant-oat01-x");
    const status = JSON.parse((await secrets(["status", "--json"])).stdout);
    const [token, codex] = status.secrets;
    const year = Date.parse(token.expiresAt) - Date.parse(token.updatedAt);
    expect(token).toMatchObject({ name: "claude_setup_token", state: "ok" });
    expect(year).toBe(365 * 86_400_000);
    expect(codex).toMatchObject({
      name: "codex_auth_json",
      state: "missing",
      remedy: ["codex login", "opentiger secrets add codex_auth_json < ~/.codex/auth.json"],
    });
    expect(status.providers[0]).toEqual({ provider: "anthropic", uses: "claude_setup_token", remedy: [] });
    expect(status.warnings).toEqual([]);
  });

  it("B5 warns of what expires within 30 days, here and at every lease", async () => {
    const soon = new Date(Date.now() + 10 * 86_400_000).toISOString().slice(0, 10);
    await secrets(["add", "claude_setup_token", "--expires", soon], "sk-ant-oat01-x");
    const { stdout, status } = await secrets(["status"]);
    expect(status).toBe(0);
    expect(stdout).toContain(`claude_setup_token expires on ${soon}`);
    expect(stdout).toContain("→ claude setup-token\n  → secrets update claude_setup_token\n");
    const lease = await secrets(["lease", "claude_setup_token", "--raw"]);
    expect(lease).toMatchObject({ status: 0, stdout: "sk-ant-oat01-x" });
    expect(lease.stderr).toContain(`expires on ${soon}`);
  });
});

describe("docs/secrets.md", () => {
  it("begins with lines that work", async () => {
    const { status, stdout, stderr } = await shell(withToken(blocks()[0]));
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain("[sk-ant-oat01-guide]");
  });

  it("B2 gives `secrets` its own name by a link that works", async () => {
    rmSync(join(home, "bin", "secrets"));
    env["PATH"] = `${join(home, ".local", "bin")}:${env["PATH"]}`;
    const block = `mkdir -p ~/.local/bin\ncd "${checkout}"\n${blocks()[1]}`;
    const { status, stdout } = await shell(withToken(block));
    expect({ status, stdout }).toEqual({ status: 0, stdout: "claude_setup_token\n[sk-ant-oat01-guide]" });
  });

  function blocks(): string[] {
    return [...readFileSync(guide, "utf8").matchAll(/```sh\n([\s\S]*?)```/g)].map(([, lines = ""]) => lines);
  }

  function withToken(lines = ""): string {
    return `MY_TOKEN=sk-ant-oat01-guide\n${lines}\nprintf '[%s]' "$TOKEN"`;
  }
});
