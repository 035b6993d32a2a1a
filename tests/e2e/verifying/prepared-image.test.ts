import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { Prepared } from "../../../packages/orchestrator/src/project/prepared.ts";
import { readProject } from "../../../packages/orchestrator/src/project/read-project.ts";
import { sandboxShape } from "../../../packages/orchestrator/src/project/sandbox-shape.ts";
import { tidiedName, tidyPrepared } from "../../../packages/orchestrator/src/recovery/reconcile/tidying.ts";
import { atEnd } from "../../setup/at-end.ts";
import { docker, workerImage } from "../../setup/docker.ts";
import { preparedImages } from "../../setup/prepared-images.ts";
import { temporaryFolder } from "../../setup/temporary-workspace.ts";
import { until } from "../../setup/until.ts";
import {
  credential,
  type Gates,
  gates,
  type VerifyingWorld,
  verifyingWorld,
} from "../../setup/verifying-world.ts";
import { type Begun, begin, said, sandboxNames } from "./begun-project.ts";
import { loopOf } from "./verifying-loop.ts";

let world: VerifyingWorld;
let gate: Gates;

beforeAll(async () => {
  [world, gate] = await Promise.all([verifyingWorld(), gates()]);
});

/** Its set-up installs something that git ignores, leaves a file, changes one, and tells all that it can see. */
const setup = [
  "mkdir -p node_modules/dep && date +%s.%N > node_modules/dep/index.js",
  "echo left > generated.txt && echo changed >> README.md",
  "(env; cat /proc/[0-9]*/environ; cat ~/.config/* ~/.claude/* ~/.codex/*) > node_modules/seen 2> /dev/null; true",
];

describe("a prepared image", () => {
  let begun: Begun;
  let prepared: Prepared;

  beforeAll(async () => {
    begun = await begin(world, { setup });
    prepared = await begun.prepare();
  });

  test("is made once, also where two processes ask for it at the same time", async () => {
    const two = await begin(world, {
      setup: [`curl -sf "$GATE"`, ...setup],
      env: { GATE: gate.url("twice") },
    });
    const lines: string[] = [];
    const say = (line: string): void => void lines.push(line);
    const other = await world.another();
    const both = [two.prepare({ loop: "first", say }), two.prepare({ loop: "second", place: other, say })];
    await until("one of them sets it up", () => gate.visits("twice") === 1);
    await until("the other one waits", () => lines.some((line) => /another process/.test(line)));
    gate.open("twice");
    const [first, second] = await Promise.all(both);
    expect(first?.image).toMatch(/^opentiger\/prepared:/);
    expect(second?.image).toBe(first?.image);
    expect((await two.prepare({ loop: "third" })).image).toBe(first?.image);
    expect(gate.visits("twice")).toBe(1);
    expect(await sandboxNames(world)).toEqual(
      expect.not.arrayContaining([expect.stringMatching(/prepare$/)]),
    );
  });

  test("gives sandboxes at any commit what the set-up made, and nothing that git would see", async () => {
    const later = await begun.sample.commit({ "later.txt": "2\n" });
    expect((await begun.prepare({ commit: later })).image).toBe(prepared.image);
    const [one, two] = await Promise.all([
      begun.sandbox("from-image-1", prepared),
      begun.sandbox("from-image-2", prepared, { commit: later }),
    ]);
    const made = await said(one, "cat node_modules/dep/index.js");
    expect(await said(two, "cat node_modules/dep/index.js later.txt")).toBe(`${made}\n2`);
    expect(await said(two, "git rev-parse HEAD; git status --porcelain; cat README.md")).toBe(
      `${later}\nsample`,
    );
    await said(two, "git add --all && git diff --cached --quiet");
    expect(await said(two, "touch .opentiger-tests.tap; git status --porcelain")).toBe("");
  });

  test("says what of the set-up is no part of the commits", async () => {
    expect(prepared.notes).toEqual([
      "the set-up changes tracked files, which were put back: README.md",
      "the set-up leaves files that are neither tracked nor ignored; they are never committed: generated.txt",
    ]);
  });

  test("has no credential in it, nor anything of the process that asked for it", async () => {
    const sandbox = await begun.sandbox("from-image-1", prepared);
    expect(await said(sandbox, "wc -c < node_modules/seen")).not.toBe("0");
    expect(await said(sandbox, "cat node_modules/seen")).not.toContain(credential);
    const image = prepared.image ?? "";
    expect(await docker("inspect", image)).not.toContain(credential);
    expect(await docker("history", "--no-trunc", image)).not.toContain(credential);
  });

  test("is another one for other lock files, and the same for anything else", async () => {
    const other = await begun.sample.commit({ "sum.js": "export const sum = (b, a) => a + b;\n" });
    expect((await begun.prepare({ commit: other })).key).toBe(prepared.key);
    const locked = await begun.sample.commit({ "package-lock.json": "{}" });
    const project = await readProject(begun.sample.repository, locked, {});
    expect(project.lockFiles).toContain("package-lock.json");
    const again = await begun.prepare({ commit: locked });
    expect(again.key).not.toBe(prepared.key);
    expect(again.image).not.toBe(prepared.image);
  });

  test("has sandboxes parked, which the next one who needs one takes over", async () => {
    const { commit, sample } = begun;
    const { repository } = sample;
    const project = await readProject(repository, commit, {});
    const about = { loop: loopOf("sample"), repository, project, prepared } as const;
    const shape = { ...sandboxShape(world.place, { ...about, phase: "verify" }), commit };
    expect(await world.docker.warm({ ...shape, count: 2 })).toBe(2);
    expect(await world.docker.warm({ ...shape, count: 2 })).toBe(0);
    const sandbox = await begun.sandbox("taken-over", prepared);
    expect(await said(sandbox, "git rev-parse HEAD; ls node_modules/dep")).toBe(`${begun.commit}\nindex.js`);
    expect(await world.docker.cool(shape.image)).toBe(1);
  });

  test("that somebody removed is made anew", async () => {
    const gone = await begin(world, { setup: ["mkdir -p node_modules/x"] });
    const { image } = await gone.prepare();
    await docker("rmi", image ?? "");
    expect((await gone.prepare()).image).toBe(image);
    expect(await docker("images", "--quiet", image ?? "")).not.toBe("");
  });

  test("that was not used for longest goes when they take too much disk, unless a sandbox uses it", async () => {
    const { database, config } = world.place;
    const idle = await (await begin(world, { setup: ["mkdir -p node_modules/idle"] })).prepare();
    await database.query(
      "update prepared_images set bytes = $1, used_at = now() - interval '1 day' where key = any($2)",
      [config.get("OPENTIGER_PREPARED_SIZE"), [idle.key, prepared.key]],
    );
    const fresh = await (await begin(world, { setup: ["mkdir -p node_modules/fresh"] })).prepare();
    const left = await preparedImages(world.place);
    expect(left).toContain(fresh.image);
    expect(left).toContain(prepared.image);
    expect(left).not.toContain(idle.image);
    expect(await docker("images", "--quiet", idle.image ?? "")).toBe("");
    expect(await docker("images", "--quiet", prepared.image ?? "")).not.toBe("");
  });

  test("goes when what it was made from was built anew, and takes the old layers with it", async () => {
    const { place } = world;
    const name = `opentiger/base-${Date.now()}:latest`;
    const build = async (word: string): Promise<string> => {
      const context = temporaryFolder();
      writeFileSync(join(context, "Dockerfile"), `FROM ${workerImage}\nLABEL word=${word}\n`);
      await docker("build", "--quiet", "--tag", name, context);
      return docker("image", "inspect", "--format", "{{.Id}}", name);
    };
    atEnd(() => docker("rmi", "--force", name).catch(() => {}));
    await build("before");
    const project = await begin(world, { image: name, setup: ["mkdir -p node_modules/based"] });
    const before = await project.prepare();
    await build("after");
    await place.database.query(
      "update prepared_images set used_at = now() - interval '1 hour' where key = $1",
      [before.key],
    );
    const after = await project.prepare();
    expect(after.key).not.toBe(before.key);
    expect(await preparedImages(place)).not.toContain(before.image);
    expect(await docker("images", "--quiet", before.image ?? "")).toBe("");
    expect(await preparedImages(place)).toContain(after.image);
  });

  test("goes as well when none is made for long: once a day somebody looks", async () => {
    const { place } = world;
    const old = await (await begin(world, { setup: ["mkdir -p node_modules/old"] })).prepare();
    const stamp = join(place.folder, tidiedName);
    await tidyPrepared(place);
    await place.database.query(
      "update prepared_images set bytes = $1, used_at = now() - interval '1 day' where key = $2",
      [place.config.get("OPENTIGER_PREPARED_SIZE") + 1, old.key],
    );
    await tidyPrepared(place);
    expect(await preparedImages(place)).toContain(old.image);
    utimesSync(stamp, new Date(0), new Date(0));
    await tidyPrepared(place);
    expect(await preparedImages(place)).not.toContain(old.image);
    expect(await docker("images", "--quiet", old.image ?? "")).toBe("");
  });

  test("is not made where there is nothing to set up", async () => {
    const none = await begin(world, { setup: [] });
    const nothing = await none.prepare();
    expect(nothing.image).toBeNull();
    const sandbox = await none.sandbox("from-nothing", nothing);
    expect(await said(sandbox, "touch .opentiger-tests.tap; git status --porcelain")).toBe("");
  });

  test("is known by the content of what it starts from, which is therefore there before anything else", async () => {
    const missing = await begin(world, { setup: [], image: "opentiger/not-there:latest" });
    await expect(missing.prepare()).rejects.toMatchObject({ code: "image_missing" });
  });
});
