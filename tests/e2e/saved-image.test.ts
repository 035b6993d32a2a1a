import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import {
  connectDocker,
  type DockerBackend,
} from "../../packages/sandbox/src/backends/docker/docker-backend.ts";
import type { CreateOptions, Sandbox } from "../../packages/sandbox/src/sandbox.ts";
import { openState } from "../../packages/sandbox/src/state/state.ts";
import { fetchCommits } from "../../packages/sandbox/src/workspace/fetch.ts";
import { putCommit } from "../../packages/sandbox/src/workspace/put-commit.ts";
import { atEnd } from "../setup/at-end.ts";
import { bundledProgram } from "../setup/bundled-program.ts";
import { docker, removeContainer, workerImage } from "../setup/docker.ts";
import { runIn } from "../setup/place.ts";
import { containerOf, type Instance, newInstance } from "../setup/sandbox.ts";
import { temporaryFolder } from "../setup/temporary-workspace.ts";
import { seldomMs, until } from "../setup/until.ts";
import { commitFile, fingerprint, makeRepository, userGit } from "../setup/user-git.ts";

/** A project of the user's, the host's own bare repository of it, and a prepared image of its base. */
interface Prepared {
  instance: Instance;
  backend: DockerBackend;
  project: string;
  bare: string;
  base: string;
  later: string;
  image: string;
  options: CreateOptions;
}

const canary = "canary-of-the-set-up";
const started = new Date(Date.now() - 2000).toISOString();
let it: Prepared;
let images = 0;

beforeAll(async () => {
  const instance = await newInstance();
  const backend = await connectDocker({ env: instance.env });
  const project = makeRepository(join(temporaryFolder(), "project"));
  commitFile(project, ".gitignore", "node_modules/\n");
  for (let n = 0; n < 200; n += 1) writeFileSync(join(project, `file-${n}`), `content ${n}\n`);
  const base = commitFile(project, "base", "1\n");
  const later = commitFile(project, "later", "2\n");
  const bare = join(temporaryFolder(), "project.git");
  userGit(project, "clone", "-q", "--bare", project, bare);
  const workspaces = [{ path: project, readOnly: false }];
  const options: CreateOptions = {
    agent: "shell",
    workspaceKind: "clone",
    workspaces,
    repository: bare,
    pull: "never",
  };
  const setup = await backend.create({
    ...options,
    name: "set-up",
    commit: base,
    image: workerImage,
    env: { SECRET: canary },
  });
  await said(setup, "mkdir -p node_modules/left-pad && echo left > node_modules/left-pad/index.js");
  await said(setup, "echo x > left-over; echo changed >> README.md; echo tool > ~/.local/bin/tool");
  await said(setup, "printenv SECRET > /dev/shm/secret");
  const image = imageName();
  await backend.save(setup.name, image);
  await setup.close();
  await backend.remove(setup.name, { force: true });
  it = { instance, backend, project, bare, base, later, image, options };
});

describe("a sandbox of a prepared image", () => {
  test("starts at the commit that is asked for, with what the set-up made and nothing else of it", async () => {
    const before = fingerprint(it.bare);
    const sandbox = await create({ name: "task", commit: it.later });
    expect(sandbox.workspaces).toEqual([{ path: it.project, readOnly: false }]);
    expect(await said(sandbox, "pwd; git rev-parse HEAD; git status --short; cat later README.md")).toBe(
      [it.project, it.later, "2", "first"].join("\n"),
    );
    expect(await said(sandbox, "cat node_modules/left-pad/index.js ~/.local/bin/tool")).toBe("left\ntool");
    expect(await said(sandbox, "ls left-over 2>/dev/null || git remote")).toBe("");
    expect(await said(sandbox, "git fsck --strict --no-dangling; git log --format=%H | wc -l")).toBe(
      userGit(it.project, "rev-list", "--count", it.later),
    );
    // The objects of the base came with the image.
    expect(await said(sandbox, "ls .git/objects/pack/*.pack | wc -l")).toBe("2");
    expect(fingerprint(it.bare)).toEqual(before);
    expect((await it.backend.inspect("task"))["repository"]).toEqual({
      path: it.project,
      commit: it.later,
      source: it.bare,
    });
  });

  test("gives its commits to the repository that they came from", async () => {
    const sandbox = await it.backend.open("task");
    atEnd(() => sandbox.close());
    await said(sandbox, "echo new > new && git add new && git commit -q -m inside");
    await expect(it.backend.remove("task")).rejects.toMatchObject({ code: "unfetched_commits" });
    const at = { repository: it.bare, name: "task", path: it.project, base: it.later };
    await expect(fetchCommits(sandbox, at)).resolves.toMatchObject({ commits: 1 });
    expect(userGit(it.bare, "show", "refs/sandboxes/task/HEAD:new")).toBe("new");
    expect(userGit(it.project, "for-each-ref", "refs/sandboxes")).toBe("");
  });

  test("can be brought to another commit while it runs", async () => {
    const sandbox = await it.backend.open("task");
    atEnd(() => sandbox.close());
    await said(sandbox, "echo changed > README.md");
    await putCommit(sandbox, { repository: it.bare, path: it.project, commit: it.base });
    expect(await said(sandbox, "git rev-parse HEAD; git status --short; ls later new 2>/dev/null || :")).toBe(
      it.base,
    );
    expect(await said(sandbox, "cat README.md node_modules/left-pad/index.js")).toBe("first\nleft");
    await it.backend.remove("task", { force: true });
  });

  test("is refused a repository where it is no clone", async () => {
    const direct = { ...it.options, workspaceKind: "direct" } as const;
    await expect(it.backend.create(direct)).rejects.toMatchObject({ code: "usage" });
    const nowhere = { ...it.options, repository: join(it.project, "src") };
    await expect(it.backend.create(nowhere)).rejects.toMatchObject({ code: "workspace_refused" });
  });
});

describe("a saved image", () => {
  test("has no secret that its sandbox was given", async () => {
    const found = `find / -xdev -type f -newermt '${started}' -exec grep -lF ${canary} {} + || :`;
    const container = ["run", "--rm", "--network", "none", "--user", "0", "--entrypoint", "sh", it.image];
    expect(await docker(...container, "-c", found)).toBe("");
    expect(await docker(...container, "-c", `${found.replace(canary, "left")} | head -1`)).not.toBe("");
    expect(await docker("image", "inspect", it.image)).not.toContain(canary);
    expect(await docker("history", "--no-trunc", it.image)).not.toContain(canary);
  });

  test("is never made of another sandbox that has the name by now", async () => {
    const first = await it.backend.create({ ...it.options, name: "named", image: workerImage });
    await first.close();
    await it.backend.remove("named", { force: true });
    const second = await it.backend.create({ ...it.options, name: "named", image: workerImage });
    await second.close();
    const image = imageName();
    await expect(it.backend.save("named", image, { id: first.id })).rejects.toMatchObject({
      code: "not_found",
    });
    expect(await it.backend.images.find(image)).toBeUndefined();
    await it.backend.save("named", image, { id: second.id });
    expect(await it.backend.images.find(image)).toBeDefined();
    await it.backend.remove("named", { force: true });
    expect(await it.backend.images.remove(image)).toBe(true);
  });

  test("is found and removed by the instance that saved it, and by no other", async () => {
    const image = await savedAgain();
    const found = await it.backend.images.find(image);
    expect(found).toEqual({ reference: image, imageId: expect.any(String), bytes: expect.any(Number) });
    expect(found?.bytes).toBeGreaterThan(1e6);
    expect(await it.backend.images.find(workerImage)).toBeUndefined();
    const other = await connectDocker({ env: (await newInstance()).env });
    expect(await other.images.find(image)).toBeUndefined();
    expect(await other.images.remove(image)).toBe(false);
    expect(await it.backend.images.remove(workerImage)).toBe(false);
    expect(await it.backend.images.remove(image)).toBe(true);
    expect(await it.backend.images.remove(image)).toBe(false);
    await expect(docker("image", "inspect", image)).rejects.toThrow(/no such (image|object)/i);
  });

  test("that is only made from one of ours is not ours, although it has all labels of it", async () => {
    const theirs = imageName();
    const container = await docker("create", it.image);
    await docker("commit", container, theirs);
    await removeContainer(container);
    expect(await it.backend.images.find(theirs)).toBeUndefined();
    expect(await it.backend.images.remove(theirs)).toBe(false);
    await it.backend.prune();
    expect(await docker("image", "inspect", "--format", "{{.Id}}", theirs)).toContain("sha256:");
  });

  test("stays while a sandbox of it is there", async () => {
    const image = await savedAgain();
    const sandbox = await create({ name: "user", image });
    expect(await it.backend.images.remove(image)).toBe(false);
    await it.backend.stop("user");
    expect(await it.backend.images.remove(image)).toBe(false);
    await sandbox.close();
    await it.backend.remove("user", { force: true });
    expect(await it.backend.images.remove(image)).toBe(true);
  });

  test("that is saved again under its name leaves nothing without a name", async () => {
    const image = await savedAgain();
    const first = await it.backend.images.find(image);
    await savedAgain(image);
    expect((await it.backend.images.find(image))?.imageId).not.toBe(first?.imageId);
    await expect(docker("image", "inspect", first?.imageId ?? "")).rejects.toThrow(/no such (image|object)/i);
    expect(await it.backend.images.remove(image)).toBe(true);
  });

  test("whose save was cut short is collected by prune", async () => {
    const image = imageName();
    const note = "cut-short";
    const folder = join(it.instance.home, "saved");
    const [sound = ""] = readdirSync(folder);
    const container = await docker("create", workerImage);
    const made = await docker("commit", "--change", `LABEL opentiger.saved=${note}`, container, image);
    await removeContainer(container);
    const left = {
      ...JSON.parse(readFileSync(join(folder, sound), "utf8")),
      id: note,
      reference: image,
      imageId: null,
      creatorPid: await pidOfTheDead(),
    };
    writeFileSync(join(folder, `${note}.json`), JSON.stringify(left));
    await it.backend.prune();
    await expect(docker("inspect", "--format", "{{.Id}}", made)).rejects.toThrow(/no such (image|object)/i);
    expect(readdirSync(folder)).toEqual([sound]);
    expect(await it.backend.images.find(it.image)).toBeDefined();
  });
});

describe("the warm pool of a prepared image", () => {
  const warm = (count: number, change: Partial<CreateOptions> = {}) =>
    it.backend.warm({
      workspaces: it.options.workspaces,
      repository: it.bare,
      commit: it.base,
      ...change,
      image: it.image,
      count,
    });

  test("gives out sandboxes that are as cold ones, each once", async () => {
    expect(await warm(2)).toBe(2);
    expect(await warm(2)).toBe(0);
    const parked = parkedContainers();
    expect(parked).toHaveLength(2);
    const names = ["warm-1", "warm-2", "cold"];
    const made = await Promise.all(names.map((name) => create({ name, commit: it.later })));
    const seen = [];
    for (const sandbox of made) {
      const script =
        "pwd; git rev-parse HEAD; git status --short; git for-each-ref; git fsck --strict; ls -A";
      seen.push(await said(sandbox, `${script}; cat later node_modules/left-pad/index.js`));
      await sandbox.close();
    }
    expect(new Set(seen).size).toBe(1);
    const used = made.map((sandbox) => containerOf(it.instance, sandbox));
    expect(parked.every((id) => used.includes(id))).toBe(true);
    expect(parkedContainers()).toEqual([]);
    for (const name of names) await it.backend.remove(name, { force: true });
  });

  test("leaves the user's pool as it is, and is left as it is by another image", async () => {
    await warm(1);
    expect(await it.backend.poolStatus()).toEqual({ size: 0, parked: 0 });
    const other = await it.backend.create({ ...it.options, image: workerImage, name: "other" });
    await other.close();
    await it.backend.remove("other", { force: true });
    expect(parkedContainers()).toHaveLength(1);
    expect(await it.backend.cool(workerImage)).toBe(0);
    expect(await it.backend.cool(it.image)).toBe(1);
    expect(parkedContainers()).toEqual([]);
  });

  test("is no sandbox for another workspace", async () => {
    await warm(1);
    const elsewhere = makeRepository(join(temporaryFolder(), "elsewhere"));
    const workspaces = [{ path: elsewhere, readOnly: false }];
    const { repository: _bare, ...rest } = it.options;
    const sandbox = await it.backend.create({ ...rest, workspaces, image: it.image, name: "elsewhere" });
    expect(await said(sandbox, "pwd; git log --format=%s -1")).toBe(`${elsewhere}\nchange src/main.ts`);
    expect(parkedContainers()).toHaveLength(1);
    await sandbox.close();
    await it.backend.remove("elsewhere", { force: true });
    await it.backend.cool(it.image);
  });

  test("goes with its image", async () => {
    const image = await savedAgain();
    const { workspaces } = it.options;
    await it.backend.warm({ workspaces, repository: it.bare, commit: it.base, image, count: 1 });
    expect(await it.backend.images.remove(image)).toBe(true);
    expect(parkedContainers()).toEqual([]);
  });

  test.each([600, 1200])(
    "whose maker was killed after %i ms leaves nothing that prune does not collect",
    async (ms) => {
      const client = await bundledProgram(new URL("./warming-client.ts", import.meta.url));
      const args = [client, it.image, it.project, it.bare];
      const child = spawn(process.execPath, args, {
        env: it.instance.env,
        stdio: ["ignore", "pipe", "inherit"],
      });
      const exited = once(child, "exit");
      await once(child.stdout, "data");
      await delay(ms);
      child.kill("SIGKILL");
      await exited;
      await it.backend.cool(it.image);
      await until(
        "everything is collected",
        async () => {
          await it.backend.prune();
          const label = `label=opentiger.instance=${openState(it.instance.home).instance}`;
          return (await docker("ps", "--all", "--quiet", "--filter", label)) === "";
        },
        undefined,
        seldomMs,
      );
    },
  );

  function parkedContainers(): string[] {
    const { records } = openState(it.instance.home).records.list();
    return records.flatMap(({ state, containerId }) =>
      state === "parked" && containerId ? [containerId] : [],
    );
  }
});

async function create(options: Partial<CreateOptions>): Promise<Sandbox> {
  const sandbox = await it.backend.create({ ...it.options, image: it.image, commit: it.base, ...options });
  atEnd(() => sandbox.close());
  return sandbox;
}

/** Output of a shell command in the clone, which must succeed. */
async function said(sandbox: Sandbox, script: string): Promise<string> {
  const { code, stdout, stderr } = await runIn(sandbox, ["sh", "-c", script]);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return stdout.trim();
}

function imageName(): string {
  images += 1;
  const image = `opentiger-test/prepared-${process.pid}-${images}:latest`;
  atEnd(() => docker("rmi", "--force", image).catch(() => {}));
  return image;
}

async function savedAgain(image = imageName()): Promise<string> {
  const sandbox = await create({ name: "to-save" });
  await it.backend.save(sandbox.name, image);
  await sandbox.close();
  await it.backend.remove(sandbox.name, { force: true });
  return image;
}

async function pidOfTheDead(): Promise<number> {
  const child = spawn("true");
  await once(child, "exit");
  return child.pid ?? 0;
}
