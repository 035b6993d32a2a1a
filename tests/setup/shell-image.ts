import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "./temporary-workspace.ts";

/** What a sandbox without a supervisor needs to be made. */
const programs = ["/bin/sh", "/bin/sleep", "/bin/cat", "/bin/mkdir", "/usr/bin/id", "/usr/bin/env"];

/** Imports an image of three megabytes: a shell and little else, taken from this machine, without node. */
export function importShellImage(name: string): void {
  const root = temporaryFolder();
  for (const file of new Set(programs.flatMap((program) => [program, ...librariesOf(program)]))) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    copyFileSync(file, join(root, file));
  }
  const archive = execFileSync("tar", ["-C", root, "-c", "."], { maxBuffer: 2 ** 28 });
  execFileSync("docker", ["import", "-", name], { input: archive, stdio: ["pipe", "ignore", "inherit"] });
}

function librariesOf(program: string): string[] {
  const listing = execFileSync("ldd", [program], { encoding: "utf8" });
  return [...listing.matchAll(/(\/\S+) \(0x/g)].map((match) => match[1] ?? "");
}
