import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import type { Execution, OutputChunk, Sandbox } from "@opentiger/sandbox";
import { commitFiles, makeRepository, scratchFolder, userGit } from "../../../../tests/setup/user-git.ts";
import { LoopRepository } from "./repository.ts";
import { unsynced } from "./unsynced.ts";

/** A place for our repositories, and one that is open for this repository of the user's. */
export async function openFor(user: string, signal?: AbortSignal): Promise<LoopRepository> {
  return unsynced(await LoopRepository.open(placeBeside(user), { id: "repo-1", path: user }, signal));
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
