import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { soak } from "../../../../tests/setup/soak.ts";
import {
  commitFile,
  fingerprint,
  makeRepository,
  scratchFolder,
  userGit,
} from "../../../../tests/setup/user-git.ts";
import { sending } from "../files/archive-fixture.ts";
import { bundle, crafted, deltaBomb, idOf, packOf, treeEntry } from "./bundle-fixture.ts";
import { fetchCommits } from "./fetch.ts";
import { checkedRefs, sandboxRefs } from "./ref-names.ts";

/** The user's repository, and one of the agent's on the same base, whose git is not git any more. */
function scene() {
  const at = scratchFolder();
  const host = join(at, "host");
  const agent = join(at, "agent");
  const scratch = join(at, "scratch");
  makeRepository(host);
  mkdirSync(scratch);
  userGit(at, "clone", "-q", host, agent);
  const base = userGit(host, "rev-parse", "HEAD");
  const fetch = (bytes: Buffer, more: object = {}) =>
    fetchCommits(sending(bytes), { repository: host, name: "box", path: agent, base, scratch, ...more });
  return { at, host, agent, scratch, base, fetch };
}

async function expectRefused(
  { host, scratch, fetch }: ReturnType<typeof scene>,
  bytes: Buffer,
  message: RegExp,
  more: object = {},
): Promise<void> {
  const before = fingerprint(host);
  const error = expect.objectContaining({ code: "git_failed", message: expect.stringMatching(message) });
  await expect(fetch(bytes, more)).rejects.toEqual(error);
  expect(fingerprint(host)).toEqual(before);
  expect(readdirSync(scratch)).toEqual([]);
}

describe("a bundle is refused, and nothing of it is left, when", () => {
  test("it is no bundle", async () => {
    const at = scene();
    await expectRefused(at, Buffer.alloc(0), /ends in its header/);
    await expectRefused(at, Buffer.from("garbage\n\n"), /does not start like one/);
    await expectRefused(at, Buffer.alloc(2_000_000, "x"), /header does not end/);
    await expectRefused(at, bundle([], Buffer.from("no pack at all")), /does not start like one/);
    await expectRefused(at, bundle(["what is this"], Buffer.alloc(40)), /has the line/);
    await expectRefused(at, Buffer.from("# v3 git bundle\n@filter=blob:none\n\n"), /wants/);
  });

  test("it is cut or changed anywhere", async () => {
    const at = scene();
    const tip = commitFile(at.agent, "new", "new\n");
    const whole = bundle([`-${at.base}`, `${tip} refs/heads/main`], packOf(at.agent, tip, `^${at.base}`));
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), async (length) => {
        await expectRefused(at, whole.subarray(0, length), /./);
      }),
      { numRuns: soak ? 100 : 10, examples: [[whole.length - 1], [whole.length - 21]] },
    );
  });

  test("its commits build on some that the host lacks or did not name", async () => {
    const at = scene();
    const middle = commitFile(at.agent, "1", "1\n");
    const tip = commitFile(at.agent, "2", "2\n");
    const pack = packOf(at.agent, tip, `^${middle}`);
    await expectRefused(at, bundle([`-${middle}`, `${tip} refs/heads/main`], pack), /did not name/);
    await expectRefused(at, bundle([`-${at.base}`, `${tip} refs/heads/main`], pack), /not sound/);
  });

  test("a branch leads to nothing, or to something that is no commit", async () => {
    const at = scene();
    const tip = commitFile(at.agent, "1", "1\n");
    const pack = packOf(at.agent, tip, `^${at.base}`);
    const blob = userGit(at.agent, "rev-parse", "HEAD:1");
    await expectRefused(at, bundle([`${"1".repeat(40)} refs/heads/main`], pack), /does not lead to a commit/);
    await expectRefused(at, bundle([`${blob} refs/heads/main`], pack), /does not lead to a commit/);
  });

  test("an object is hostile by git's own rules", async () => {
    const at = scene();
    const blob = Buffer.from("#!/bin/sh\n");
    const hooks = treeEntry("100755", "post-checkout", idOf("blob", blob));
    for (const name of [".git", ".GIT", "git~1", ".g\u200cit", "..", "."]) {
      const { oid, pack } = crafted(at.base, treeEntry("100644", name, idOf("blob", blob)), [blob, hooks]);
      await expectRefused(at, bundle([`-${at.base}`, `${oid} refs/heads/main`], pack), /not sound/);
    }
    const modules = Buffer.from('[submodule "x"]\n\tpath = x\n\turl = --upload-pack=evil\n');
    const { oid, pack } = crafted(at.base, treeEntry("100644", ".gitmodules", idOf("blob", modules)), [
      modules,
    ]);
    await expectRefused(at, bundle([`-${at.base}`, `${oid} refs/heads/main`], pack), /not sound/);
  });

  test("a link pretends to be a settings file", async () => {
    const at = scene();
    const target = Buffer.from("/etc/passwd");
    const { oid, pack } = crafted(at.base, treeEntry("120000", ".gitmodules", idOf("blob", target)), [
      target,
    ]);
    await expectRefused(at, bundle([`-${at.base}`, `${oid} refs/heads/main`], pack), /not sound/);
  });

  test("an object is missing", async () => {
    const at = scene();
    const { oid, pack } = crafted(at.base, treeEntry("100644", "x", "2".repeat(40)));
    await expectRefused(at, bundle([`-${at.base}`, `${oid} refs/heads/main`], pack), /not sound/);
  });

  test("it is larger than allowed, and as soon as it is", async () => {
    const at = scene();
    const tip = commitFile(at.agent, "noise", randomBytes(20_000).toString("hex"));
    const whole = bundle([`-${at.base}`, `${tip} refs/heads/main`], packOf(at.agent, tip, `^${at.base}`));
    await expectRefused(at, whole, /more than the 2000 bytes/, { limits: { packBytes: 2000 } });
  });

  test("a few bytes of it stand for a huge object", async () => {
    const at = scene();
    const bomb = Buffer.alloc(20_000_000);
    const { oid, pack } = crafted(at.base, treeEntry("100644", "zeros", idOf("blob", bomb)), [bomb]);
    expect(pack.length).toBeLessThan(50_000);
    const whole = bundle([`-${at.base}`, `${oid} refs/heads/main`], pack);
    await expectRefused(at, whole, /an object of 20000000 bytes/, { limits: { objectBytes: 10_000_000 } });
  });

  test("unpacking it would take all memory", async () => {
    const at = scene();
    const pack = deltaBomb(384);
    expect(pack.length).toBeLessThan(20_000);
    await expectRefused(at, bundle([`${at.base} refs/heads/main`], pack), /not sound: .*memory/);
  });

  test("its format is another one", async () => {
    const at = scene();
    const bytes = Buffer.from(`# v3 git bundle\n@object-format=sha256\n${"a".repeat(64)} HEAD\n\nPACK`);
    await expectRefused(at, bytes, /uses sha256 now/);
  });

  const names = [
    "refs/heads/../../config",
    "refs/heads/a..b",
    "refs/heads/a b",
    "refs/heads/a\u007f",
    "refs/heads/a\u001b[2J",
    "refs/heads/a\u202eb",
    "refs/heads/.hidden",
    "refs/heads/a.lock",
    "refs/heads/a.LOCK/b",
    "refs/heads/a/",
    "refs/heads//a",
    "refs/heads/-option",
    "refs/heads/HEAD",
    "refs/heads/head",
    "refs/heads/a@{1}",
    "refs/heads/a~1",
    "refs/heads/a\\b",
    `refs/heads/${"x".repeat(300)}`,
    "refs/tags/v1",
    "refs/sandboxes/other/main",
    "refs/Heads/main",
    "config",
    "../HEAD",
  ];
  test.each(names)("a ref is called %j", async (name) => {
    const at = scene();
    const tip = commitFile(at.agent, "1", "1\n");
    const pack = packOf(at.agent, tip, `^${at.base}`);
    await expectRefused(
      at,
      bundle([`-${at.base}`, `${tip} ${name}`], pack),
      /cannot be fetched|has the line/,
    );
  });

  test("two refs differ in their case only, or there are too many", async () => {
    const at = scene();
    const tip = commitFile(at.agent, "1", "1\n");
    const pack = packOf(at.agent, tip, `^${at.base}`);
    await expectRefused(at, bundle([`${tip} refs/heads/Main`, `${tip} refs/heads/main`], pack), /case only/);
    const many = Array.from({ length: 1001 }, (_, n) => `${tip} refs/heads/b${n}`);
    await expectRefused(at, bundle(many, pack), /more than 1000/);
  });
});

describe("names of refs", () => {
  test("whatever is accepted, git accepts too", () => {
    const part = fc.constantFrom(
      "a",
      "B",
      ".",
      "..",
      "-",
      "@",
      "{",
      "lock",
      ".lock",
      "/",
      "é",
      "~",
      " ",
      "\\",
      "\n",
      "HEAD",
    );
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
        const name = `refs/heads/${parts.join("")}`;
        const accepted = safely(() => checkedRefs([{ name, oid: "0" }], "box")[0]?.name);
        if (accepted) expect(() => execFileSync("git", ["check-ref-format", accepted])).not.toThrow();
      }),
      { numRuns: soak ? 240 : 20 },
    );
  });

  test.each(["a", "a.b", "a..b", "a...", "x.lock", "a.", "A+b_c-1"])("%j is a place for refs", (name) => {
    expect(() => execFileSync("git", ["check-ref-format", `${sandboxRefs(name)}main`])).not.toThrow();
  });
});

function safely<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
