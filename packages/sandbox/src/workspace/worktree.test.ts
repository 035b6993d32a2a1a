import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkWorkspace, type Forbidden } from "./rules.ts";
import { mainRepositoryOf } from "./worktree.ts";

let top: string;
let forbidden: Forbidden;

beforeAll(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "ot-worktree-")));
  forbidden = { home: join(top, "home"), paths: [] };
  git("init", "-q", "-b", "main", join(top, "main"));
  git("-C", join(top, "main"), "commit", "-q", "--allow-empty", "-m", "one");
  git("-C", join(top, "main"), "worktree", "add", "-q", join(top, "linked"));
  git("init", "-q", "-b", "main", join(top, "other"));
  git("-C", join(top, "other"), "commit", "-q", "--allow-empty", "-m", "one");
  git("-C", join(top, "other"), "worktree", "add", "-q", join(top, "other-linked"));
});

afterAll(() => rmSync(top, { recursive: true, force: true }));

const find = (path: string) =>
  mainRepositoryOf(checkWorkspace({ path: join(top, path), readOnly: false }, forbidden), forbidden);

describe("a linked worktree", () => {
  it("brings its main repository along", () => {
    expect(find("linked")).toMatchObject({ path: join(top, "main/.git"), readOnly: false });
  });

  it("of a bare repository brings that along", () => {
    git("clone", "-q", "--bare", join(top, "main"), join(top, "bare.git"));
    git("-C", join(top, "bare.git"), "worktree", "add", "-q", join(top, "from-bare"), "main");
    expect(find("from-bare")).toMatchObject({ path: join(top, "bare.git") });
  });

  it("that lies around its main repository brings nothing more", () => {
    git("clone", "-q", "--bare", join(top, "main"), join(top, "around/.bare"));
    git("-C", join(top, "around/.bare"), "worktree", "add", "-q", "-f", join(top, "around/tree"), "main");
    writeFileSync(join(top, "around/.git"), "gitdir: .bare/worktrees/tree\n");
    // The pointer leads to a worktree that is another folder's.
    expect(() => find("around")).toThrow(/does not point back/);
  });

  it("is read-only with its workspace", () => {
    const workspace = checkWorkspace({ path: join(top, "linked"), readOnly: true }, forbidden);
    expect(mainRepositoryOf(workspace, forbidden)?.readOnly).toBe(true);
  });
});

describe("a plain folder or repository", () => {
  it("brings nothing", () => {
    mkdirSync(join(top, "plain"));
    expect(find("plain")).toBeUndefined();
    expect(find("main")).toBeUndefined();
  });
});

describe("a .git that an agent wrote to have something mounted", () => {
  it.each([
    ["another repository", () => join(top, "other/.git")],
    ["another repository's worktree", () => join(top, "other/.git/worktrees/other-linked")],
    ["a folder of the system", () => "/etc"],
    ["a folder that does not exist", () => join(top, "nowhere/.git/worktrees/x")],
    ["nothing", () => ""],
  ])("pointing at %s is refused", (what, target) => {
    const folder = `evil-${what.replaceAll(/\W/g, "-")}`;
    mkdirSync(join(top, folder));
    writeFileSync(join(top, folder, ".git"), `gitdir: ${target()}\n`);
    expect(() => find(folder)).toThrow(
      expect.objectContaining({
        code: "workspace_refused",
        remedy: expect.stringContaining("--clone"),
      }),
    );
  });

  it("with a made-up worktree whose commondir leads elsewhere is refused", () => {
    const folder = join(top, "made-up");
    const gitDir = join(folder, "fake/worktrees/x");
    for (const part of ["objects", "refs", "worktrees/x"])
      mkdirSync(join(folder, "fake", part), { recursive: true });
    writeFileSync(join(folder, "fake/HEAD"), "ref: refs/heads/main\n");
    writeFileSync(join(folder, ".git"), `gitdir: ${gitDir}\n`);
    writeFileSync(join(gitDir, "gitdir"), `${join(folder, ".git")}\n`);
    writeFileSync(join(gitDir, "commondir"), `${join(top, "other/.git")}\n`);
    expect(() => find("made-up")).toThrow(/commondir .* leads elsewhere/);
    // Pointing at itself it gains nothing: what it names lies in the workspace already.
    writeFileSync(join(gitDir, "commondir"), "../..\n");
    expect(find("made-up")).toBeUndefined();
  });

  it("that is a link or a pipe is refused, and does not hang", () => {
    mkdirSync(join(top, "with-link"));
    symlinkSync(join(top, "other/.git"), join(top, "with-link/.git"));
    expect(() => find("with-link")).toThrow(/is a symlink/);
    mkdirSync(join(top, "with-pipe"));
    execFileSync("mkfifo", [join(top, "with-pipe/.git")]);
    expect(() => find("with-pipe")).toThrow(/special file/);
  });

  it("of a submodule is refused with the way that works", () => {
    mkdirSync(join(top, "super/sub"), { recursive: true });
    git("init", "-q", join(top, "super/.git/modules/sub"));
    writeFileSync(join(top, "super/sub/.git"), "gitdir: ../.git/modules/sub\n");
    expect(() => find("super/sub")).toThrow(expect.objectContaining({ code: "workspace_refused" }));
  });
});

function git(...args: string[]): void {
  const author = {
    GIT_AUTHOR_NAME: "t",
    GIT_AUTHOR_EMAIL: "t@t",
    GIT_COMMITTER_NAME: "t",
    GIT_COMMITTER_EMAIL: "t@t",
  };
  execFileSync("git", args, { env: { PATH: process.env["PATH"], HOME: top, ...author }, stdio: "pipe" });
}
