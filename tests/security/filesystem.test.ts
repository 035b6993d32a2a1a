import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { attack } from "../setup/attack.ts";
import { placeOf } from "../setup/place.ts";
import { plainContainer } from "../setup/plain-container.ts";
import { type Instance, newInstance, newSandbox } from "../setup/sandbox.ts";
import { isRoot, rootWorkspace, temporaryFolder, temporaryWorkspace } from "../setup/temporary-workspace.ts";

const canary = "not-for-this-agent";
let instance: Instance;

beforeAll(async () => {
  instance = await newInstance();
});

describe("attack 10 a command reads outside of its workspace", () => {
  const projects = temporaryFolder();
  const own = join(projects, "own");
  const others = join(projects, "others");
  const home = join(projects, "home");
  const socket = (process.env["DOCKER_HOST"] ?? "unix:///var/run/docker.sock").replace("unix://", "");
  const files = [join(others, "file"), join(home, "file"), socket];

  beforeAll(() => {
    for (const folder of [own, others, home]) mkdirSync(folder, { mode: 0o777 });
    for (const file of files.slice(0, 2)) writeFileSync(file, canary, { mode: 0o644 });
    for (const folder of [projects, own, others, home]) chmodSync(folder, 0o777);
  });

  test("in a plain container that was given the folder of all projects and the engine's socket", async () => {
    const flags = ["--volume", `${socket}:${socket}`];
    const plain = await plainContainer(projects, { user: "0:0", flags });
    expect(await attack(plain, "reach.py", ...files)).toEqual([canary, canary, "connected"]);
  });

  test("not in ours: other folders, the workspace of another sandbox, the socket and the state are out of reach", async () => {
    const neighbour = await newSandbox(instance, others);
    const state = ["instance", "names", "sandboxes", `sandboxes/${neighbour.id}.json`].map((name) =>
      join(instance.home, name),
    );
    const wanted = [...files, "/var/run/docker.sock", "/run/docker.sock", ...state];
    for (const workspace of [own, ...(isRoot ? [rootWorkspace()] : [])]) {
      const sandbox = await newSandbox(instance, workspace);
      expect(await attack(placeOf(sandbox), "reach.py", ...wanted)).toEqual(wanted.map(() => null));
    }
  });
});

describe("attack 11 a command writes into a folder that is mounted read-only", () => {
  interface Report {
    write: string;
    remount: string;
    afterRemount: string;
    namespace: string;
    inNamespace: string;
  }
  const newLocked = () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o777);
    return folder;
  };

  test("in a plain container with the right to mount", async () => {
    const locked = newLocked();
    const rights = ["--cap-add", "SYS_ADMIN", "--security-opt", "seccomp=unconfined"];
    const flags = [...rights, "--security-opt", "apparmor=unconfined", "--volume", `${locked}:${locked}:ro`];
    const plain = await plainContainer(temporaryFolder(), { user: "0:0", flags });
    const report = await attack<Report>(plain, "remount.py", locked);
    expect(report).toMatchObject({
      write: "Read-only file system",
      remount: "done",
      afterRemount: "written",
    });
    expect(existsSync(join(locked, "after-remount"))).toBe(true);
  });

  const owners: [string, () => string][] = [
    ["with a uid of its own", temporaryWorkspace],
    ...(isRoot ? ([["that is root", rootWorkspace]] as [string, () => string][]) : []),
  ];
  test.each(owners)("not in ours, by an agent %s", async (_name, workspace) => {
    const locked = newLocked();
    const workspaces = [
      { path: workspace(), readOnly: false },
      { path: locked, readOnly: true },
    ];
    const sandbox = await newSandbox(instance, "", { workspaces });
    const report = await attack<Report>(placeOf(sandbox), "remount.py", locked);
    expect(report).toEqual({
      write: "Read-only file system",
      remount: "Operation not permitted",
      afterRemount: "Read-only file system",
      namespace: "Operation not permitted",
      inNamespace: "Read-only file system",
    });
    expect(readdirSync(locked)).toEqual([]);
  });
});
