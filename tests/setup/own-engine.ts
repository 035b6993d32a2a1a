import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { startPrivateEngine, stopPrivateEngine } from "../../scripts/engine/engine.mjs";
import { enginePaths } from "../../scripts/engine/paths.mjs";
import { commandPath } from "../../scripts/packages/command-path.mjs";
import { atEnd } from "./at-end.ts";
import { isRoot, temporaryFolder } from "./temporary-workspace.ts";

/** An engine that a test may stop and kill: nobody else uses it, and none other notices. */
export interface OwnEngine {
  dockerHost: string;
  /** The folder of its images and containers. */
  data: string;
  start(): Promise<unknown>;
  stop(): Promise<void>;
  /** kill -9 of the daemon alone; its containers go on. */
  kill(): void;
}

export const canHaveOwnEngine =
  isRoot &&
  process.platform === "linux" &&
  ["dockerd", "containerd", "iptables", "ip"].every((command) => commandPath(command));

/** `dataMegabytes`: so large its disk is. */
export async function ownEngine({ dataMegabytes }: { dataMegabytes?: number } = {}): Promise<OwnEngine> {
  const folder = temporaryFolder("engine-");
  const paths = enginePaths(folder);
  if (dataMegabytes !== undefined) {
    // Whoever stops the engine unmounts all that is below its folder.
    mkdirSync(paths.dataRoot, { recursive: true });
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${dataMegabytes}m`, "none", paths.dataRoot]);
  }
  atEnd(() => stopPrivateEngine({ folder }));
  await startPrivateEngine({ folder });
  return {
    dockerHost: paths.dockerHost,
    data: paths.dataRoot,
    start: () => startPrivateEngine({ folder }),
    stop: () => stopPrivateEngine({ folder }),
    kill: () => void process.kill(Number(readFileSync(paths.pid, "utf8")), "SIGKILL"),
  };
}
