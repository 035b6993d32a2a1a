import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { docker, workerImage } from "../setup/docker.ts";
import { runIn } from "../setup/place.ts";
import { type Instance, newInstance, newSandbox } from "../setup/sandbox.ts";
import { temporaryFolder, temporaryWorkspace } from "../setup/temporary-workspace.ts";

const canary = "the-users-own-secret";
const folder = temporaryFolder();
const home = join(folder, "home", "user");
const secret = join(home, "secret");
let instance: Instance;

beforeAll(async () => {
  mkdirSync(join(home, ".ssh"), { recursive: true });
  writeFileSync(secret, canary, { mode: 0o644 });
  instance = await newInstance({ ...process.env, HOME: home });
});

describe("attack 9 a workspace that is the system, the home folder, or a link to one", () => {
  test("is handed over by plain `docker run -v`", async () => {
    const link = join(folder, "plain-link");
    symlinkSync(home, link);
    const read = (mount: string, path: string) =>
      docker(
        "run",
        "--rm",
        "--network",
        "none",
        "--user",
        "0:0",
        "--volume",
        mount,
        workerImage,
        "cat",
        path,
      );
    expect(await read(`${link}:${link}`, join(link, "secret"))).toBe(canary);
    expect(await read("/:/host", join("/host", secret))).toBe(canary);
  });

  const refused: [string, () => string][] = [
    ["/", () => "/"],
    ["/etc", () => "/etc"],
    ["/etc by way of ..", () => "/usr/../etc"],
    ["a folder below /usr", () => "/usr/lib"],
    ["/proc", () => "/proc/self/root"],
    ["the home folder", () => home],
    ["the folder that holds the home folder", () => dirname(home)],
    ["a folder of keys", () => join(home, ".ssh")],
    ["the state folder", () => instance.home],
    ["a folder that holds the state folder", () => dirname(instance.home)],
    ["the folder of the engine's socket", () => dirname(engineSocket())],
    ["a link to /", () => linkTo("/")],
    ["a link to /etc", () => linkTo("/etc")],
    ["a link to the home folder", () => linkTo(home)],
    ["a link to a link to the home folder", () => linkTo(linkTo(home))],
    ["a folder below a link to /", () => join(linkTo("/"), "etc")],
  ];

  test.each(refused)("is refused by ours: %s", async (_name, path) => {
    const workspaces = [
      { path: temporaryWorkspace(), readOnly: false },
      { path: path(), readOnly: true },
    ];
    await expect(newSandbox(instance, "", { workspaces })).rejects.toMatchObject({
      code: "workspace_refused",
    });
    expect((await instance.backend.list()).filter(({ own }) => own)).toEqual([]);
  });

  test("is refused by ours when the workspace has become one while the sandbox was stopped", async () => {
    const workspace = join(temporaryFolder(), "project");
    mkdirSync(workspace);
    const { name } = await newSandbox(instance, workspace);
    await instance.backend.stop(name);
    rmSync(workspace, { recursive: true });
    symlinkSync(home, workspace);
    await expect(instance.backend.open(name)).rejects.toMatchObject({ code: "workspace_refused" });
    await instance.backend.remove(name);
  });

  test("is refused by ours when the agent itself has put a link in the place of an inner workspace", async () => {
    const outer = temporaryWorkspace();
    const sandbox = await newSandbox(instance, outer);
    await runIn(sandbox, ["mkdir", "-p", "between/inner"]);
    const inner = join(outer, "between", "inner");
    const workspaces = [outer, inner].map((path) => ({ path, readOnly: false }));
    const nested = await newSandbox(instance, "", { workspaces });
    // A mount point cannot be moved away from inside; the folder that it lies in can.
    await runIn(nested, ["sh", "-c", `mv between moved && mkdir between && ln -s ${home} between/inner`]);
    await instance.backend.stop(nested.name);
    await expect(instance.backend.open(nested.name)).rejects.toMatchObject({ code: "workspace_refused" });
    for (const { name } of [nested, sandbox]) await instance.backend.remove(name);
    renameSync(join(outer, "moved"), join(outer, "seen-outside"));
  });
});

let links = 0;
function linkTo(target: string): string {
  links += 1;
  const link = join(folder, `link-${links}`);
  symlinkSync(target, link);
  return link;
}

function engineSocket(): string {
  const host = process.env["DOCKER_HOST"] ?? "";
  return host.startsWith("unix://") ? host.slice("unix://".length) : "/var/run/docker.sock";
}
