import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { userRepository } from "./loop-world.ts";
import { temporaryFolder } from "./temporary-workspace.ts";

export type Files = Readonly<Record<string, string>>;

/** What git says there, as the user would ask it. */
export function git(folder: string, ...words: string[]): string {
  return execFileSync("git", ["-C", folder, "-c", "protocol.file.allow=always", ...words], {
    encoding: "utf8",
    stdio: "pipe",
    maxBuffer: 64 * 1024 * 1024,
  });
}

function put(root: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

export function withoutCommit(): string {
  const root = temporaryFolder("opentiger-repo-");
  git(root, "init", "--quiet", "--initial-branch=main");
  put(root, { "draft.txt": "not committed\n" });
  return root;
}

/** Of everything that a checkout may have besides its commit: changed, staged, untracked, ignored, removed. */
export function dirty(files: Files): string {
  const root = userRepository({
    ...files,
    ".gitignore": "build\n",
    "gone.txt": "gone\n",
    "old.txt": "old\n",
  });
  put(root, { "README.md": "half a sentence\n", "staged.txt": "staged\n", "untracked.txt": "mine\n" });
  put(root, { "build/output.txt": "built\n" });
  git(root, "add", "staged.txt");
  git(root, "rm", "--quiet", "gone.txt");
  return root;
}

export function detached(files: Files): string {
  const root = userRepository(files);
  git(root, "commit", "--quiet", "--allow-empty", "--message=later");
  git(root, "checkout", "--quiet", "--detach", "HEAD~1");
  return root;
}

export function shallow(files: Files): string {
  const whole = userRepository(files);
  for (const message of ["second", "third"])
    git(whole, "commit", "--quiet", "--allow-empty", `--message=${message}`);
  const root = join(temporaryFolder("opentiger-repo-"), "shallow");
  git(whole, "clone", "--quiet", "--depth=1", `file://${whole}`, root);
  return root;
}

/** A clone that was told to leave the files' contents where it came from. */
export function partial(files: Files): string {
  const whole = userRepository(files);
  git(whole, "config", "uploadpack.allowFilter", "true");
  const root = join(temporaryFolder("opentiger-repo-"), "partial");
  git(whole, "clone", "--quiet", "--no-checkout", "--filter=blob:none", `file://${whole}`, root);
  return root;
}

/** With a submodule at `inner`, which is checked out. */
export function withSubmodule(files: Files): string {
  const inner = userRepository({ "inner.txt": "inner\n" });
  const root = userRepository(files);
  git(root, "submodule", "--quiet", "add", inner, "inner");
  git(root, "commit", "--quiet", "--message=a submodule");
  return root;
}

export const pointer = `version https://git-lfs.github.com/spec/v1
oid sha256:${"4d7a2146f5c1".padEnd(64, "0")}
size 12345
`;

/** With `big.bin` kept by Git LFS: its pointer is committed, and the user has the content. */
export function withLargeFile(files: Files): string {
  const attributes = "*.bin filter=lfs diff=lfs merge=lfs -text\n";
  const root = userRepository({ ...files, "big.bin": pointer });
  put(root, { ".gitattributes": attributes });
  git(root, "add", ".gitattributes");
  git(root, "commit", "--quiet", "--message=attributes");
  put(root, { "big.bin": "the content\n".repeat(1000) });
  return root;
}

/**
 * With line ends of all kinds: converted by git, never converted, left to git, and in a file that is older than the
 * attribute by which git would convert it. All have CRLF in a checkout.
 */
export function withCrlf(files: Files): string {
  const names = ["converted.txt", "kept.txt", "plain.txt", "older.txt"];
  const root = userRepository({
    ...files,
    ...Object.fromEntries(names.map((name) => [name, "one\r\n"])),
    ".gitattributes": "converted.txt text eol=crlf\nkept.txt -text\n",
  });
  writeFileSync(join(root, ".gitattributes"), "older.txt text\n", { flag: "a" });
  git(root, "commit", "--quiet", "--message=an attribute", ".gitattributes");
  return root;
}

/** The branches that this pattern names. */
export function branches(root: string, pattern: string): string[] {
  if (!existsSync(join(root, ".git"))) return [];
  return git(root, "for-each-ref", "--format=%(refname:short)", `refs/heads/${pattern}`)
    .split("\n")
    .filter(Boolean);
}
