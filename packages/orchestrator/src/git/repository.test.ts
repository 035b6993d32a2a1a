import { existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commitFiles, userGit } from "../../../../tests/setup/user-git.ts";
import { loopScene, openFor } from "./git-fixture.ts";

const author = { name: "Ada", email: "ada@example.com" };
const date = new Date("2026-01-02T03:04:05.678Z");

describe("a commit", () => {
  test("is the same whenever the same is committed, whatever the user's settings say", async () => {
    const { own, baseOid } = await loopScene();
    const input = {
      tree: await own.tree(baseOid),
      parents: [baseOid],
      message: "title\n\nOpenTiger-Task: 1\n",
      author,
      date,
    };
    const oid = await own.commit(input);
    expect(await own.commit(input)).toBe(oid);
    const shown = userGit(own.path, "show", "-s", "--format=%an <%ae> %aI|%cn <%ce> %cI|%P|%B", oid);
    const who = "Ada <ada@example.com> 2026-01-02T03:04:05+00:00";
    expect(shown).toBe(`${who}|${who}|${baseOid}|title\n\nOpenTiger-Task: 1`);
    expect(await own.has(oid)).toBe(true);
    expect(await own.has("1".repeat(40))).toBe(false);
  });

  test("is never named by anything else than its id", async () => {
    const { own } = await loopScene();
    for (const name of ["HEAD", "--output=x", "-p", "", "a".repeat(39)]) {
      await expect(own.tree(name)).rejects.toMatchObject({ code: "internal" });
    }
  });
});

describe("a file of a commit", () => {
  test("is read as it is stored; a folder, a link and what is not there are none", async () => {
    const { user, own } = await loopScene();
    symlinkSync("/etc/passwd", join(user, "link"));
    const oid = commitFiles(user, { "a/b.bin": Buffer.from([0, 255, 10]) });
    await own.importBase("loop2");
    expect(await own.readFile(oid, "a/b.bin")).toEqual(Buffer.from([0, 255, 10]));
    for (const path of [
      "a",
      "a/",
      "a/../a/b.bin",
      "link",
      "nothing",
      "",
      ".",
      "..",
      "../a",
      "./a/b.bin",
      "/a/b.bin",
      "src/*",
    ]) {
      expect([path, await own.readFile(oid, path)]).toEqual([path, undefined]);
    }
  });
});

describe("tidying", () => {
  test("drops what nobody pins and what the killed left, and keeps all else", async () => {
    const { own, baseOid } = await loopScene();
    const lost = await own.commit({
      tree: await own.tree(baseOid),
      parents: [],
      message: "lost\n",
      author,
      date,
    });
    const fresh = await own.commit({
      tree: await own.tree(baseOid),
      parents: [],
      message: "fresh\n",
      author,
      date,
    });
    const old = new Date("2020-01-01");
    utimesSync(join(own.path, "objects", lost.slice(0, 2), lost.slice(2)), old, old);
    const left = ["scratch/index-dead", "refs/sandboxes/loop-x-shell-1.dead/HEAD", "shallow.lock"];
    for (const name of left) {
      mkdirSync(join(own.path, name, ".."), { recursive: true });
      writeFileSync(join(own.path, name), name.includes("refs") ? `${baseOid}\n` : "");
      utimesSync(join(own.path, name), old, old);
    }
    utimesSync(join(own.path, "refs/sandboxes/loop-x-shell-1.dead"), old, old);
    writeFileSync(join(own.path, "scratch/index-alive"), "");
    await own.tidy();
    expect([await own.has(lost), await own.has(fresh), await own.has(baseOid)]).toEqual([false, true, true]);
    expect(left.filter((name) => existsSync(join(own.path, name)))).toEqual([]);
    expect(readdirSync(join(own.path, "scratch"))).toEqual(["index-alive"]);
    expect((await own.pins("loop1")).get("base")).toBe(baseOid);
    expect(existsSync(join(own.path, "refs/opentiger/loop1/base"))).toBe(true);
  });
});

test("what is under way ends with the signal that it was opened with", async () => {
  const { user } = await loopScene();
  const abort = new AbortController();
  const own = await openFor(user, abort.signal);
  abort.abort();
  await expect(own.importBase("loop9")).rejects.toMatchObject({ code: "cancelled" });
});
