import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "./temporary-workspace.ts";

/** A repository of the test's own user with one commit. */
export function newRepository(): string {
  const folder = temporaryFolder("opentiger-repo-");
  const git = (...args: string[]) => execFileSync("git", ["-C", folder, ...args], { stdio: "pipe" });
  git("init", "--quiet", "--initial-branch=main");
  writeFileSync(join(folder, "README.md"), "one commit\n");
  git("add", "README.md");
  git("-c", "user.name=Test", "-c", "user.email=test@example.test", "commit", "--quiet", "--message=one");
  return folder;
}
