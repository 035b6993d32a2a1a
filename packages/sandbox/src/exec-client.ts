import { existsSync, readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import type { SandboxRecord } from "@opentiger/schema";
import { describeEndpoint } from "./backends/docker/engine/address.ts";
import { findEndpoint } from "./backends/docker/engine/endpoint.ts";
import { egressSocket } from "./protocol/paths.ts";
import { carrierFolder } from "./state/carrier-folder.ts";
import { stateFolder } from "./state/folder.ts";
import { defaultHome } from "./workspace/rules.ts";

/**
 * What a client needs that execs and does nothing else: no engine, no HTTP/2, no schema library. It starts in half
 * the time of the whole package, which is most of what a short command costs.
 */
export { dialBack } from "./carriers/socket.ts";
export { SandboxError } from "./errors.ts";
export { rewriteLoopback } from "./loopback/rewrite.ts";
export type { Execution, OutputChunk } from "./sandbox.ts";
export { exitCode } from "./session/collect.ts";
export { openExecution } from "./session/execution.ts";

/** The folder through which a sandbox of ours is reached; undefined when the full program must find another way. */
export function carrierOf(name: string, env: NodeJS.ProcessEnv): string | undefined {
  // The rule of the schema, without its library: the name becomes part of a path.
  if (!/^[A-Za-z0-9][A-Za-z0-9_.+-]{0,62}$/.test(name)) return undefined;
  const state = stateFolder(env);
  try {
    // Written by us and read again by the full program with every check, should anything here be amiss.
    const record = JSON.parse(readFileSync(join(state, "names", name), "utf8")) as Partial<SandboxRecord>;
    if (record.state !== "adopted" || record.carrier !== "socket" || !record.id) return undefined;
    // By another address it may be another engine: that one has to be asked.
    if (record.engineAddress !== describeEndpoint(findEndpoint(env, defaultHome(env)))) return undefined;
    const folder = carrierFolder(state, record.id);
    return existsSync(folder) ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** Whether somebody takes the connections of the sandbox behind this folder; if not, the full program starts somebody. */
export function hasWayOut(folder: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(join(folder, egressSocket));
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

/** The names of our sandboxes as far as the state folder knows them, for the shell's completion. */
export function ownNames(env: NodeJS.ProcessEnv): string[] {
  try {
    return readdirSync(join(stateFolder(env), "names")).toSorted();
  } catch {
    return [];
  }
}
