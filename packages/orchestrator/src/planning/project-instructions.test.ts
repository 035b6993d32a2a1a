import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commitFiles } from "../../../../tests/setup/user-git.ts";
import { loopScene } from "../git/git-fixture.ts";
import { projectInstructions } from "./project-instructions.ts";

/** What is told of a commit with these files and links. */
async function told(files: Record<string, string | Buffer>, links: Record<string, string> = {}) {
  const { user, own } = await loopScene();
  for (const [path, target] of Object.entries(links)) {
    mkdirSync(join(user, path, ".."), { recursive: true });
    symlinkSync(target, join(user, path));
  }
  commitFiles(user, files);
  const { baseOid } = await own.importBase("loop2");
  return projectInstructions({ repository: own, baseOid });
}

describe("what a project says to agents", () => {
  test("is told from every folder, that of the whole project first", async () => {
    const files = {
      "lib/deep/CLAUDE.md": "deep",
      "CLAUDE.md": "top, for one",
      "AGENTS.md": "top, for all",
      "lib/AGENTS.md": "lib",
      "lib/NOT-AGENTS.md": "other",
      ".claude/CLAUDE.md": "beside the settings",
    };
    expect(await told(files)).toEqual([
      { path: "AGENTS.md", text: "top, for all" },
      { path: "CLAUDE.md", text: "top, for one" },
      { path: ".claude/CLAUDE.md", text: "beside the settings" },
      { path: "lib/AGENTS.md", text: "lib" },
      { path: "lib/deep/CLAUDE.md", text: "deep" },
    ]);
  });

  test("is found behind links of the tree, each text once; a link that leads out is none", async () => {
    const files = { "AGENTS.md": "for all", "docs/rules/lib.md": "for lib" };
    const links = {
      "CLAUDE.md": "AGENTS.md",
      rules: "docs/rules",
      "lib/AGENTS.md": "../rules/lib.md",
      "out/AGENTS.md": "../../../../../../../../etc/passwd",
      "root/AGENTS.md": "/etc/passwd",
      "one/AGENTS.md": "../other/AGENTS.md",
      "other/AGENTS.md": "../one/AGENTS.md",
    };
    expect(await told(files, links)).toEqual([
      { path: "AGENTS.md", text: "for all" },
      { path: "lib/AGENTS.md", text: "for lib" },
    ]);
  });

  test("has with it the files that it names with @, in their order, each once", async () => {
    const files = {
      "CLAUDE.md":
        "See @AGENTS.md, @docs/style.md. Not `@docs/quoted.md`, @nobody/nothing or me@docs/mail.md\n",
      "AGENTS.md": "for all",
      "docs/style.md": "style; see @./more.md and @../CLAUDE.md\n```\n@fenced.md\n```\n",
      "docs/more.md": "more",
      "docs/fenced.md": "no",
      "docs/quoted.md": "no",
      "docs/mail.md": "no",
      "lib/CLAUDE.md": "@picture.png @../docs/more.md",
      "lib/picture.png": Buffer.from([137, 80, 0, 1]),
    };
    expect((await told(files)).map(({ path }) => path)).toEqual([
      "AGENTS.md",
      "CLAUDE.md",
      "docs/style.md",
      "docs/more.md",
      "lib/CLAUDE.md",
    ]);
  });

  test("is never cut without a word: what is too long says where the rest is", async () => {
    const files = {
      "AGENTS.md": "a".repeat(60_000),
      "CLAUDE.md": "b".repeat(60_000),
      "lib/AGENTS.md": "lib",
      "vast/AGENTS.md": "c".repeat(3_000_000),
    };
    const [agents, claude, lib, vast] = await told(files);
    expect(agents?.text).toHaveLength(60_000);
    expect(claude?.text).toMatch(/b{40000}\n\n\[.*20000 .*read the rest in CLAUDE\.md/s);
    expect(lib?.text).toMatch(/read lib\/AGENTS\.md before you work in lib/);
    expect(vast?.text).toMatch(/read vast\/AGENTS\.md before you work in vast/);
  });

  test("has an end, and says how many are left out", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 230 }, (_, index) => [`p${index + 100}/AGENTS.md`, `${index}`]),
    );
    const all = await told(files);
    expect(all).toHaveLength(200);
    expect(all.at(-1)?.text).toMatch(/30 further files/);
  });

  test.each([
    ["backticks", `${"`".repeat(4_000_000)}x`],
    ["backticks from the beginning of a line", "`".repeat(4_000_000)],
    ["runs of backticks", Array.from({ length: 2_500 }, (_, length) => `${"`".repeat(length)} `).join("")],
    ["dots", `@${".".repeat(4_000_000)}x`],
  ])("is read in a moment where it is millions of %s", async (_what, text) => {
    const start = performance.now();
    expect(await told({ "CLAUDE.md": text })).toHaveLength(1);
    // On a busy machine too; what grows with the square of the length takes minutes.
    expect(performance.now() - start).toBeLessThan(20_000);
  });
});
