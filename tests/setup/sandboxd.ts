import { createWriteStream, mkdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { connectDocker } from "../../packages/sandbox/src/backends/docker/docker-backend.ts";
import { Sandboxd } from "../../packages/sandboxd/src/client/client.ts";
import { outwardThrough } from "../../packages/sandboxd/src/client/outward.ts";
import { sandboxdPaths } from "../../packages/sandboxd/src/paths.ts";
import { atEnd } from "./at-end.ts";
import { knowImages } from "./known-images.ts";
import type { Instance } from "./sandbox.ts";
import type { SmallInternet } from "./small-internet.ts";
import { temporaryFolder } from "./temporary-workspace.ts";
import { until } from "./until.ts";

const bundle = fileURLToPath(new URL("../../packages/sandboxd/dist/sandboxd.js", import.meta.url));

export interface OnlineInstance extends Instance {
  sandboxd: Sandboxd;
  /** kill -9 of the daemon; the next one is started on the same machine. */
  killSandboxd(): Promise<void>;
  startSandboxd(): Promise<void>;
}

/** An openTiger whose sandboxd runs on the machine of a small internet, and reaches that internet and nothing else. */
export async function onlineInstance(
  internet: SmallInternet,
  changed: NodeJS.ProcessEnv = {},
): Promise<OnlineInstance> {
  const home = temporaryFolder("ot-");
  const env: NodeJS.ProcessEnv = { ...process.env, ...internet.env, ...changed, OPENTIGER_HOME: home };
  const sandboxd = new Sandboxd(env);
  const startSandboxd = async (): Promise<void> => {
    const child = internet.machine([process.execPath, bundle], env);
    // Where it has its log when it is started as it usually is.
    const { folder, log } = sandboxdPaths(home);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const said of [child.stdout, child.stderr]) said?.pipe(createWriteStream(log, { flags: "a" }));
    child.stderr?.pipe(process.stderr);
    await until("sandboxd runs on the machine", () => sandboxd.status());
  };
  await startSandboxd();
  const backend = await connectDocker({ env, outward: outwardThrough(sandboxd, env, undefined) });
  atEnd(async () => {
    await backend.reset();
    await sandboxd.stop();
    rmSync(home, { recursive: true, force: true });
  });
  await knowImages(home);
  return {
    backend,
    home,
    env,
    sandboxd,
    startSandboxd,
    killSandboxd: async () => {
      const status = await sandboxd.status();
      if (!status) throw new Error("there is no sandboxd to kill");
      process.kill(status.pid, "SIGKILL");
      await until("sandboxd is gone", async () => (await sandboxd.status()) === undefined);
    },
  };
}
