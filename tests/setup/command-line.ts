import { type ChildProcess, spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { connectDocker } from "@opentiger/sandbox";
import { Sandboxd } from "@opentiger/sandboxd";
import { installPlugin, pluginPath } from "../../packages/cli/src/plugin/plugin-file.ts";
import { atEnd } from "./at-end.ts";
import { knowImages } from "./known-images.ts";
import { temporaryFolder } from "./temporary-workspace.ts";

/** How a command line ended and what it wrote. */
export interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  input?: string | Buffer;
  /** Its stdin does not end, as that of a terminal does not: `script` types an end otherwise. */
  stdin?: "open";
  env?: NodeJS.ProcessEnv;
  cwd?: string;
}

/** Someone with a clean HOME, the plugin in it, and nothing else of this machine in the environment. */
export interface User {
  home: string;
  env: NodeJS.ProcessEnv;
  run(command: readonly [string, ...string[]], options?: RunOptions): Promise<Ended>;
  start(command: readonly [string, ...string[]], options?: RunOptions): ChildProcess;
  /** `docker sandbox …`, through docker itself. */
  sandbox(...words: string[]): Promise<Ended>;
  opentiger(...words: string[]): Promise<Ended>;
}

export const opentigerBundle = fileURLToPath(
  new URL("../../packages/cli/dist/opentiger.js", import.meta.url),
);

/** A new user of the engine under test; at the end of the test file, their sandboxes are gone. */
export async function newUser(changed: NodeJS.ProcessEnv = {}): Promise<User> {
  const home = temporaryFolder("ot-");
  const kept = ["PATH", "DOCKER_HOST", "SANDBOX_DOCKER_IMAGE"].map((name) => [name, process.env[name]]);
  const env: NodeJS.ProcessEnv = { ...Object.fromEntries(kept), HOME: home, ...changed };
  const user: User = {
    home,
    env,
    run: (command, options) => ended(user.start(command, options), options?.input, options?.stdin),
    start: ([command, ...words], options = {}) =>
      spawn(command, words, { env: { ...env, ...options.env }, cwd: options.cwd ?? home, stdio: "pipe" }),
    sandbox: (...words) => user.run(["docker", "sandbox", ...words]),
    opentiger: (...words) => user.run([process.execPath, opentigerBundle, ...words]),
  };
  await knowImages(env["OPENTIGER_HOME"] ?? join(home, ".local", "state", "opentiger"));
  // As `opentiger sandbox install-plugin` and `reset` do it, without a process for each user.
  installPlugin(pluginPath(env), { node: process.execPath, bundles: dirname(opentigerBundle) }, {});
  atEnd(async () => {
    await (await connectDocker({ env })).reset();
    await new Sandboxd(env).stop();
  });
  return user;
}

/** Waits for the end, with everything it wrote. */
export function ended(child: ChildProcess, input?: string | Buffer, stdin?: "open"): Promise<Ended> {
  const said = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  child.stdout?.on("data", (data: Buffer) => said.stdout.push(data));
  child.stderr?.on("data", (data: Buffer) => said.stderr.push(data));
  // A command that does not read its stdin may close it first.
  child.stdin?.on("error", () => {});
  if (stdin === undefined) child.stdin?.end(input);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) =>
      resolve({
        status,
        stdout: Buffer.concat(said.stdout).toString("utf8"),
        stderr: Buffer.concat(said.stderr).toString("utf8"),
      }),
    );
  });
}
