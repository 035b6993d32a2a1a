import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { placeOf } from "../setup/place.ts";
import { plainContainer } from "../setup/plain-container.ts";
import { type Instance, newInstance } from "../setup/sandbox.ts";
import { testUser } from "../setup/temporary-workspace.ts";
import { fingerprint } from "../setup/user-git.ts";
import { cloneOf, collected, ourWay, scene } from "./loop-git-scene.ts";

/**
 * The way of an agent's work through a loop, attacked: it is collected from the sandbox, compared, merged with what others
 * have done, restored in part, and shown in the user's repository. What an orchestrator does that simply uses git in the
 * agent's tree stands beside each attack, and is harmed.
 */
interface Plant {
  name: string;
  /** Run inside, in the repository, with the trap as `$1`. */
  inside: string;
  /** What a plain orchestrator runs outside, in the agent's tree. */
  outside: string;
}

const commit = "git add -A; git commit -q -m work";
const diverge =
  "git checkout -q -b tip HEAD~1; sed -i 1s/.*/theirs/ README.md; git commit -q -a -m tip; git checkout -q main; git merge --no-edit tip";

const plants: Plant[] = [
  {
    name: "attack 1 hooks of every kind",
    inside: `${commit}; mkdir -p .git/hooks; for hook in pre-commit post-commit post-merge post-checkout reference-transaction; do cp "$1" .git/hooks/$hook; done`,
    outside: "git commit -q --allow-empty -m work",
  },
  {
    name: "attack 2 core.fsmonitor",
    inside: `${commit}; git config core.fsmonitor "$1"`,
    outside: "git status",
  },
  {
    name: "attack 2 settings that include another file",
    inside: `${commit}; git config -f settings core.fsmonitor "$1"; git config include.path ../settings`,
    outside: "git status",
  },
  {
    name: "attack 2 a clean filter that a tracked .gitattributes names",
    inside: `echo '* filter=trap' > .gitattributes; ${commit}; git config filter.trap.clean "$1"; echo more >> README.md`,
    outside: "git add -A",
  },
  {
    name: "attack 2 a smudge filter that a tracked .gitattributes names",
    inside: `echo '* filter=trap' > .gitattributes; ${commit}; git config filter.trap.smudge "$1"`,
    outside: "rm README.md; git checkout -f HEAD -- README.md",
  },
  {
    name: "attack 2 a textconv that a tracked .gitattributes names",
    inside: `echo '* diff=trap' > .gitattributes; ${commit}; git config diff.trap.textconv "$1"`,
    outside: "git diff HEAD~1 HEAD",
  },
  {
    name: "attack 2 diff.external",
    inside: `${commit}; git config diff.external "$1"`,
    outside: "git diff HEAD~1 HEAD",
  },
  {
    name: "attack 2 a merge driver that a tracked .gitattributes names",
    inside: `echo '* merge=trap' > .gitattributes; ${commit}; git config merge.trap.driver "$1"`,
    outside: diverge,
  },
  {
    name: "attack 2 a program that signs",
    inside: `${commit}; git config gpg.program "$1"; git config commit.gpgSign true`,
    outside: "git commit -q --allow-empty -m work",
  },
  {
    name: "attack 2 a program that sends",
    inside: `${commit}; git config remote.origin.url .; git config remote.origin.uploadpack "$1"`,
    outside: "git fetch origin",
  },
  {
    name: "attack 3 a .git file that leads to a repository of the agent's",
    inside: `${commit}; cp -a .git elsewhere; rm -rf .git; git -C elsewhere config core.fsmonitor "$1"; echo 'gitdir: elsewhere' > .git`,
    outside: "git status",
  },
  {
    name: "attack 3 .git/commondir",
    inside: `${commit}; cp -a .git common; git config -f common/config core.fsmonitor "$1"; echo ../common > .git/commondir`,
    outside: "git status",
  },
];

let instance: Instance;
beforeAll(async () => {
  instance = await newInstance();
});

describe.each(plants)("$name: planted by an agent", ({ inside, outside }) => {
  test("runs for git in that tree, and not for ours, which even reads that repository and writes to it", async () => {
    const at = await scene();
    await at.attack(await plainContainer(at.repository, { user: testUser }), inside);
    // The worst case: an agent wrote to the user's own repository some day, and now a loop begins there.
    const { baseOid } = await at.own.importBase("loop2", "HEAD");
    await ourWay({ ...at, base: baseOid }, baseOid);
    await at.own.project({ id: "loop2", branch: "tiger/loop2", branchOid: baseOid, projectedOid: null });
    expect(existsSync(at.canary)).toBe(false);
    at.plainly(outside);
    expect(existsSync(at.canary)).toBe(true);
  });

  test("in a clone of ours runs for nobody, from collecting to the branch", async () => {
    const at = await scene();
    const before = fingerprint(at.repository);
    const sandbox = await cloneOf(instance, at);
    await at.attack(placeOf(sandbox), inside);
    // Where the repository inside is not one any more, collecting it is refused; then there is nothing to go on with.
    const head = await collected(at, sandbox).catch((error: unknown) => {
      expect(error).toMatchObject({ code: "commits_refused", remedy: expect.any(String) });
      return undefined;
    });
    if (head) await ourWay(at, head);
    expect(existsSync(at.canary)).toBe(false);
    const after = fingerprint(at.repository);
    for (const path of Object.keys(before).filter((each) => !/^$|^\.git$|^\.git\/(objects|refs)/.test(each)))
      expect([path, after[path]]).toEqual([path, before[path]]);
    at.plainly(outside);
    expect(existsSync(at.canary)).toBe(false);
  });
});

test("the agent's settings do not become the user's, even when the work is shown there", async () => {
  const at = await scene();
  const config = readFileSync(join(at.repository, ".git/config"), "utf8");
  const sandbox = await cloneOf(instance, at);
  await at.attack(placeOf(sandbox), `${commit}; git config core.fsmonitor "$1"; git config user.name evil`);
  await ourWay(at, await collected(at, sandbox));
  writeFileSync(join(at.repository, "README.md"), "the user works on\n");
  at.plainly("git status; git diff tiger/loop1; git log -p tiger/loop1");
  expect([existsSync(at.canary), readFileSync(join(at.repository, ".git/config"), "utf8")]).toEqual([
    false,
    config,
  ]);
});
