import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Execution, OutputChunk, Sandbox } from "@opentiger/sandbox";
import { onTestFinished } from "vitest";
import { LoopRepository } from "./repository.ts";

/** Nothing of this machine's settings, and an author. */
const environment = {
  PATH: process.env["PATH"],
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.com",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.com",
};

/** Runs git as a user would, in a repository of the test's. */
export function userGit(folder: string, ...args: readonly string[]): string {
  return userGitWith(folder, undefined, ...args);
}

export function userGitWith(
  folder: string,
  input: string | Buffer | undefined,
  ...args: readonly string[]
): string {
  const options = ["-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main"];
  return execFileSync("git", ["-C", folder, ...options, ...args], {
    env: environment,
    encoding: "utf8",
    ...(input === undefined ? {} : { input }),
    stdio: ["pipe", "pipe", "pipe"],
    maxBuffer: 64 * 1024 * 1024,
  }).trim();
}

export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "opentiger-loop-git-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A repository with some history, at `folder`. */
export function makeRepository(folder: string, ...init: readonly string[]): string {
  mkdirSync(folder, { recursive: true });
  userGit(folder, "init", "-q", ...init);
  commitFiles(folder, { "README.md": "first\n" });
  commitFiles(folder, { "src/main.ts": "console.log(1);\n" });
  return folder;
}

/** null: the file is removed. */
export function commitFiles(folder: string, files: Readonly<Record<string, string | Buffer | null>>): string {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    if (content === null) rmSync(join(folder, path));
    else writeFileSync(join(folder, path), content);
  }
  userGit(folder, "add", "-A");
  userGit(folder, "commit", "-q", "-m", `change ${Object.keys(files).join(", ").slice(0, 100)}`);
  return userGit(folder, "rev-parse", "HEAD");
}

/** A place for our repositories, and one that is open for this repository of the user's. */
export async function openFor(user: string, signal?: AbortSignal): Promise<LoopRepository> {
  return LoopRepository.open(placeBeside(user), { id: "repo-1", path: user }, signal);
}

function placeBeside(user: string): { folder: string; env: NodeJS.ProcessEnv } {
  return { folder: join(dirname(user), "state"), env: {} };
}

/** Our repository with a base that has these files; and commits with others on top of it, brought in the same way. */
export async function loopScene(files: Record<string, string | Buffer> = {}, ...init: readonly string[]) {
  const at = scratchFolder();
  const user = makeRepository(join(at, "user"), ...init);
  if (Object.keys(files).length > 0) commitFiles(user, files);
  const own = await openFor(user);
  const { baseOid } = await own.importBase("loop1");
  let loops = 1;
  const derive = async (changed: Record<string, string | Buffer | null>, from = baseOid): Promise<string> => {
    userGit(user, "checkout", "-q", "--detach", from);
    commitFiles(user, changed);
    loops += 1;
    return (await own.importBase(`loop${loops}`)).baseOid;
  };
  return { at, user, own, baseOid, derive };
}

/** Every file of a commit or tree, with its content. */
export async function treeContents(own: LoopRepository, tree: string): Promise<Record<string, string>> {
  const entries = await own.listFiles(tree);
  const read = entries.map(
    async ({ path }) => [path, (await own.readFile(tree, path))?.toString() ?? "?"] as const,
  );
  return Object.fromEntries(await Promise.all(read));
}

/** Content, mode and times of everything below a folder, `.git` included: equal means untouched. */
export function fingerprint(
  folder: string,
  except: (path: string) => boolean = () => false,
): Record<string, string> {
  const found: Record<string, string> = {};
  const visit = (below: string): void => {
    if (except(below)) return;
    const path = join(folder, below);
    const info = lstatSync(path);
    if (info.isDirectory()) {
      // A folder's time changes with what is excepted in it.
      found[below] = String(info.mode);
      for (const name of readdirSync(path)) visit(join(below, name));
      return;
    }
    const content = info.isSymbolicLink() ? readlinkSync(path) : readFileSync(path);
    found[below] = `${info.mode} ${info.mtimeMs} ${createHash("sha256").update(content).digest("hex")}`;
  };
  visit("");
  return found;
}

/** Where objects lie, and the one branch that may appear. */
export function isProjected(path: string): boolean {
  return /^\.git\/(?:objects\/(?!info)|refs\/heads\/tiger(?:\/|$))/.test(path);
}

/**
 * A stand-in for a sandbox: commands run on the host, in a folder of the test's. It shows what is collected, and nothing
 * about isolation; tests/security uses sandboxes.
 */
export function localSandbox(home: string): Pick<Sandbox, "exec"> {
  return {
    async exec([file = "", ...args], options = {}): Promise<Execution> {
      const env = { ...process.env, HOME: home, GIT_CONFIG_NOSYSTEM: "1", ...options.env };
      const child = spawn(file, args, { cwd: home, env, stdio: ["pipe", "pipe", "ignore"] });
      child.stdin.on("error", () => {});
      if (!options.stdin) child.stdin.end();
      return {
        id: String(child.pid),
        pid: child.pid ?? 0,
        stdin: child.stdin,
        exit: new Promise((resolve) => {
          child.once("close", (code, signal) => resolve({ code, signal, reason: "exited" }));
        }),
        output: () => chunksOf(child.stdout),
        kill: async (signal = "SIGKILL") => void child.kill(signal),
        detach: () => {},
      };
    },
  };
}

async function* chunksOf(stdout: AsyncIterable<Buffer>): AsyncGenerator<OutputChunk, void> {
  for await (const data of stdout) yield { stream: "stdout", offset: 0, data };
}
