import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { checkoutHash } from "./sample-project.ts";
import { requirement } from "./scripted-model.ts";
import { say, title } from "./words.ts";

const opentiger = fileURLToPath(new URL("../../packages/cli/dist/opentiger.js", import.meta.url));

/** Runs the main job as a user would, and looks at what came of it. Returns what was not as it should be. */
export async function runLoop({
  env,
  project,
  onHost,
  stopped,
}: {
  env: NodeJS.ProcessEnv;
  project: string;
  onHost: boolean;
  stopped: AbortSignal;
}): Promise<string[]> {
  if (stopped.aborted) return [];
  const before = checkoutHash(project);
  const words = ["run", requirement, "--repo", project, ...(onHost ? ["--host"] : [])];
  title(`$ opentiger run "${requirement}"${onHost ? " --host" : ""}`);
  const child = spawn(process.execPath, [opentiger, ...words], { env, stdio: "inherit" });
  // In a terminal it was told as well, and the second time cancels its loop.
  stopped.addEventListener("abort", () => child.kill("SIGINT"));
  const [code] = await once(child, "exit");
  if (stopped.aborted) return [];
  const failures = code === 0 ? [] : [`opentiger run ended with ${code}`];

  title("The branch that is in the repository now");
  const branches = git(project, "branch", "--list", "tiger/*", "--format=%(refname:short)");
  const [branch = ""] = branches.split("\n");
  if (branch === "") return [...failures, "there is no branch"];
  say(git(project, "log", "--format=%h %an: %s", "--stat", `main..${branch}`));
  const commits = Number(git(project, "rev-list", "--count", `main..${branch}`));
  // Five tasks; the tests that were written first came together with their code.
  if (commits !== 4) failures.push(`there are ${commits} commits, and not 4`);

  title("The checkout of its user");
  const same = checkoutHash(project) === before;
  say(same ? "not a byte of it has changed" : "HAS CHANGED");
  return same ? failures : [...failures, "the checkout has changed"];
}

function git(project: string, ...words: string[]): string {
  return execFileSync("git", ["-C", project, ...words], { encoding: "utf8" }).trim();
}
