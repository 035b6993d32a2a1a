import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { EmbeddedPostgres } from "@opentiger/orchestrator";
import { beforeAll, describe, expect, test } from "vitest";
import { atEnd } from "../setup/at-end.ts";
import { newUser, type User } from "../setup/command-line.ts";
import { userRepository } from "../setup/loop-world.ts";
import { temporaryWorkspace } from "../setup/temporary-workspace.ts";

/** Two instances with everything: databases are made, containers and daemons started. */
const timeoutMs = 180_000;

let going: Instance;
let staying: Instance;
let repository: string;

interface Instance {
  user: User;
  id: string;
  state: string;
  database: string;
  plugin: string;
}

beforeAll(async () => {
  repository = userRepository({ "README.md": "mine\n" });
  execFileSync("git", ["-C", repository, "branch", "tiger/abcdefgh"]);
  [going, staying] = await Promise.all([instance(), instance()]);
}, timeoutMs);

/** With a sandbox of each kind, a database, a server, a dispatcher and sandboxd. */
async function instance(): Promise<Instance> {
  const user = await newUser({ OPENTIGER_API_PORT: "0" });
  const state = join(user.home, ".local", "state", "opentiger");
  atEnd(async () => {
    await user.opentiger("down");
    await new EmbeddedPostgres(user.env).remove();
  });
  for (const words of [
    ["sandbox", "create", "--name", "box", "shell", temporaryWorkspace()],
    ["up", "--detach"],
    ["run", "--detach", "--host", "--dry-run", "--repo", repository, "Whatever"],
  ])
    expect(await user.opentiger(...words), words.join(" ")).toMatchObject({ status: 0 });
  const { data } = new EmbeddedPostgres(user.env).place;
  const id = readFileSync(join(state, "instance"), "utf8").trim();
  return { user, id, state, database: data, plugin: join(user.home, ".docker/cli-plugins/docker-sandbox") };
}

/** Processes whose environment or arguments name this instance's home. */
function processesOf({ user, database }: Instance): string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false;
    const about = ["environ", "cmdline"].map((file) => read(`/proc/${pid}/${file}`)).join("\0");
    return about.includes(user.home) || about.includes(database);
  });
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function containersOf({ id }: Instance): string {
  const filter = `label=opentiger.instance=${id}`;
  return execFileSync("docker", ["ps", "-aq", "--filter", filter], { encoding: "utf8" }).trim();
}

const volumes = () => execFileSync("docker", ["volume", "ls", "-q"], { encoding: "utf8" });

describe("opentiger uninstall", () => {
  test("lists everything and removes nothing where nobody says yes", async () => {
    const { user, state, plugin } = going;
    const asked = await user.opentiger("uninstall");
    expect(asked).toMatchObject({ status: 64, stderr: expect.stringContaining("opentiger uninstall --yes") });
    for (const line of [
      "processes",
      /dispatcher \(\d+\)/,
      /postgres \(\d+\)/,
      /sandboxd \(\d+\)/,
      /server \(\d+\)/,
    ])
      expect(asked.stdout).toMatch(line);
    for (const line of ["box", state, plugin, `1 branch tiger/* in ${repository}`, "the worker image"])
      expect(asked.stdout).toContain(line);
    const listed = await user.opentiger("uninstall", "--dry-run", "--json");
    expect(JSON.parse(listed.stdout)).toMatchObject({ sandboxes: ["box"], plugin, removed: false });
    expect(containersOf(going)).not.toBe("");
    expect(existsSync(state)).toBe(true);
  });

  test(
    "leaves nothing of the instance, and touches no other one",
    async () => {
      const before = volumes();
      const ended = await going.user.opentiger("uninstall", "--yes", "--json");
      expect(ended).toMatchObject({ status: 0, stderr: "" });
      expect(JSON.parse(ended.stdout)).toMatchObject({ removed: true, sandboxes: ["box"] });
      expect(processesOf(going)).toEqual([]);
      expect(containersOf(going)).toBe("");
      expect(volumes()).toBe(before);
      for (const path of [going.state, going.database, going.plugin])
        expect(existsSync(path), path).toBe(false);
      const branches = execFileSync("git", ["-C", repository, "branch", "--list"], { encoding: "utf8" });
      expect(branches).toContain("tiger/abcdefgh");

      const { user, state, database, plugin } = staying;
      for (const path of [state, database, plugin]) expect(existsSync(path), path).toBe(true);
      const said = await user.opentiger("sandbox", "exec", "box", "echo", "still here");
      expect(said).toMatchObject({ status: 0, stdout: "still here\n" });
      const status = await user.opentiger("status", "--json");
      expect(JSON.parse(status.stdout)).toMatchObject({ server: { ready: true } });
    },
    timeoutMs,
  );

  test("a second time there is nothing, and that is no error", async () => {
    const again = await going.user.opentiger("uninstall", "--yes");
    expect(again).toMatchObject({ status: 0, stdout: expect.stringContaining("nothing of openTiger's") });
    expect(existsSync(going.state)).toBe(false);
  });

  test("sandboxes of an engine that does not answer are not left behind", async () => {
    const env = { DOCKER_HOST: "unix:///nowhere/docker.sock" };
    const bundle = new URL("../../packages/cli/dist/opentiger.js", import.meta.url).pathname;
    const refused = await staying.user.run([process.execPath, bundle, "uninstall", "--yes"], { env });
    expect(refused).toMatchObject({ status: 69, stderr: expect.stringContaining("cannot be removed") });
    expect(existsSync(staying.state)).toBe(true);
  });
});
