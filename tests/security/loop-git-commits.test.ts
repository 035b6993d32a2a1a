import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { checkRules } from "../../packages/orchestrator/src/git/rules.ts";
import { placeOf } from "../setup/place.ts";
import { plainContainer } from "../setup/plain-container.ts";
import { type Instance, newInstance } from "../setup/sandbox.ts";
import { testUser } from "../setup/temporary-workspace.ts";
import { commitFile, fingerprint, makeRepository, userGit } from "../setup/user-git.ts";
import { cloneOf, collected, names, rules, type Scene, scene, user } from "./loop-git-scene.ts";

let instance: Instance;
beforeAll(async () => {
  instance = await newInstance();
});

/** Commits of an agent's making: what plain git takes over, and what becomes of them with us. */
interface Crafted {
  name: string;
  /** Leaves HEAD at the crafted commit. */
  inside: string;
  /** Said by plain git of what it fetched, as `refs/heads/result`. */
  harm: { ask: string; says: RegExp };
}

const mktree = (mode: string, type: string, name: string, oid: string) =>
  `tree=$(printf '${mode} ${type} %s\\t%b\\n' ${oid} '${name}' | git mktree --missing)`;
const headAt =
  "git checkout -q --detach; git update-ref --no-deref HEAD $(git commit-tree -p HEAD -m crafted $tree)";
const blob = "$(printf '#!/bin/sh\\n' | git hash-object -w --stdin)";

const refused: Crafted[] = [
  ...[".GIT", "git~1", ".git"].map((name) => ({
    name: `attack 3 a file called ${name}`,
    inside: `${mktree("100755", "blob", name, blob)}; ${headAt}`,
    harm: { ask: "git ls-tree --name-only result", says: /git/i },
  })),
  {
    name: "attack 8 a link called .gitmodules",
    inside: `tree=$(printf '120000 blob %s\\t.gitmodules\\n' $(printf /etc/passwd | git hash-object -w --stdin) | git mktree); ${headAt}`,
    harm: { ask: "git ls-tree result", says: /^120000 .*\.gitmodules/ },
  },
  {
    name: "a submodule whose address is an option",
    inside: `printf '[submodule "x"]\\n\\tpath = x\\n\\turl = --upload-pack=evil\\n' > .gitmodules; git add .gitmodules; git commit -q -m x`,
    harm: { ask: "git show result:.gitmodules", says: /--upload-pack/ },
  },
  {
    name: "a history that does not build on the base",
    inside: "git checkout -q --orphan fresh; git commit -q -m fresh",
    harm: { ask: "git rev-list --count result", says: /^1$/m },
  },
  {
    name: "a base that was made anew",
    inside: "git commit -q --amend -m innocent",
    harm: { ask: "git log -1 --format=%s result", says: /innocent/ },
  },
];

const forTheRules: Crafted[] = [
  {
    name: "attack 8 a link that leads out",
    inside: "ln -s /etc/passwd opentiger.json; git add -A; git commit -q -m link",
    harm: { ask: "git checkout -q -f result; cat opentiger.json", says: /^root:/ },
  },
  {
    name: "attack 8 a link that leads out through another",
    inside:
      "mkdir -p a/b; ln -s ../.. a/b/top; ln -s top/../canary a/b/x; git add -A; git commit -q -m links",
    harm: { ask: "git checkout -q -f result; echo told > ../canary; cat a/b/x", says: /told/ },
  },
  {
    name: "a submodule",
    inside: `${mktree("160000", "commit", "sub", "$(git rev-parse HEAD)")}; ${headAt}`,
    harm: { ask: "git ls-tree result", says: /^160000/ },
  },
  {
    name: "a name that writes to the terminal",
    inside: `name=$(printf 'a\\033[2Jb'); echo x > "$name"; git add -A; git commit -q -m name`,
    harm: { ask: "git ls-tree -z --name-only result", says: /^a.\[2Jb|\0a.\[2Jb/s },
  },
];

describe.each([...refused, ...forTheRules])("$name, committed by an agent", (crafted) => {
  test("is taken over by a plain fetch", async () => {
    const at = await scene();
    const agent = join(at.repository, "../agent");
    userGit(at.repository, "clone", "-q", "--no-local", at.repository, agent);
    execFileSync("sh", ["-ec", crafted.inside], { cwd: agent, env: user, stdio: "pipe" });
    const said = at.plainly(
      `git -c protocol.file.allow=always fetch -q ${agent} +HEAD:result; ${crafted.harm.ask}`,
    );
    expect(said).toMatch(crafted.harm.says);
  });

  test("does not become a candidate with us, and leaves nothing", async () => {
    const at = await scene();
    const before = fingerprint(at.repository);
    const sandbox = await cloneOf(instance, at);
    const said = await placeOf(sandbox).run([
      "sh",
      "-ec",
      `cd '${at.repository}'; ${names}; ${crafted.inside}`,
    ]);
    expect([said.code, said.stderr]).toEqual([0, expect.any(String)]);
    if (refused.includes(crafted)) {
      await expect(collected(at, sandbox)).rejects.toMatchObject({ code: "commits_refused" });
    } else {
      const head = await collected(at, sandbox);
      const points = checkRules(await at.own.changes(at.base, head), rules);
      expect(points.length).toBeGreaterThan(0);
      expect(await at.own.readFile(head, "opentiger.json")).toBeUndefined();
    }
    expect(userGit(at.own.path, "for-each-ref", "--format=%(refname)")).toBe("refs/opentiger/loop1/base");
    expect(fingerprint(at.repository)).toEqual(before);
  });
});

describe("attack 3 alternates lead to another repository of the host", () => {
  async function withPrivate(): Promise<{ at: Scene; inside: string }> {
    const at = await scene();
    const secret = makeRepository(join(at.repository, "../private"));
    commitFile(secret, "secret", "canary-4711\n");
    const leak = userGit(secret, "rev-parse", "HEAD:secret");
    const point = `mkdir -p .git/objects/info; echo '${secret}/.git/objects' > .git/objects/info/alternates`;
    return {
      at,
      inside: `${names}; ${mktree("100644", "blob", "leak", leak)}; git update-ref HEAD $(git commit-tree -p HEAD -m leak $tree); ${point}`,
    };
  }

  test("of whoever uses git in the agent's tree: the content is his", async () => {
    const { at, inside } = await withPrivate();
    const plain = await plainContainer(at.repository, { user: testUser });
    expect((await plain.run(["sh", "-ec", inside])).code).toBe(0);
    expect(at.plainly("git show HEAD:leak")).toBe("canary-4711\n");
  });

  test("not with us: what was not sent is not there", async () => {
    const { at, inside } = await withPrivate();
    const sandbox = await cloneOf(instance, at);
    expect((await placeOf(sandbox).run(["sh", "-ec", inside])).code).toBe(0);
    await expect(collected(at, sandbox)).rejects.toMatchObject({ code: "commits_refused" });
  });
});

describe("attack 3 replaced objects show the reader another content than there is", () => {
  const inside = `${names}; echo evil > code.sh; git add -A; git commit -q -m work; git replace $(git rev-parse HEAD:code.sh) $(echo good | git hash-object -w --stdin)`;

  test("of whoever reads in the agent's tree", async () => {
    const at = await scene();
    const plain = await plainContainer(at.repository, { user: testUser });
    expect((await plain.run(["sh", "-ec", inside])).code).toBe(0);
    expect(at.plainly("git show HEAD:code.sh")).toBe("good\n");
  });

  test("not with us: what is judged is what is merged", async () => {
    const at = await scene();
    const sandbox = await cloneOf(instance, at);
    expect((await placeOf(sandbox).run(["sh", "-ec", inside])).code).toBe(0);
    const head = await collected(at, sandbox);
    expect((await at.own.readFile(head, "code.sh"))?.toString()).toBe("evil\n");
    expect((await at.own.diff(at.base, head)).text).toContain("+evil");
  });
});

describe("attributes of the agent's own hide a change", () => {
  const inside = `${names}; echo '* -diff' > .gitattributes; echo evil > code.sh; git add -A; git commit -q -m work`;

  test("from whoever compares in the agent's tree", async () => {
    const at = await scene();
    const plain = await plainContainer(at.repository, { user: testUser });
    expect((await plain.run(["sh", "-ec", inside])).code).toBe(0);
    expect(at.plainly("git diff HEAD~1 HEAD")).not.toContain("evil");
  });

  test("not from us", async () => {
    const at = await scene();
    const sandbox = await cloneOf(instance, at);
    expect((await placeOf(sandbox).run(["sh", "-ec", inside])).code).toBe(0);
    expect((await at.own.diff(at.base, await collected(at, sandbox))).text).toContain("+evil");
  });
});
