import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EmbeddedPostgres } from "@opentiger/orchestrator";
import { HostBackend, openState } from "@opentiger/sandbox";
import { Sandboxd } from "@opentiger/sandboxd";
import type { Launcher } from "./processes/launcher.ts";
import { type RunningServer, type ServerOptions, startServer } from "./server.ts";

export interface TemporaryServer {
  /** Its state folder. */
  home: string;
  env: NodeJS.ProcessEnv;
  /** Another server of the same instance, on a port of its own; closed with the rest. */
  start(options?: Partial<ServerOptions>): Promise<RunningServer>;
  /** Ends everything and removes it. */
  remove(): Promise<void>;
}

/** No process is started, and none runs. */
const nothing: Launcher = {
  check: () => {},
  status: async () => undefined,
  start: () => {},
  stop: async () => {},
  log: () => "/dev/null",
};

/** A new instance with servers for a test; nothing of it is left at the end. */
export function temporaryServer(more: NodeJS.ProcessEnv = {}): TemporaryServer {
  const home = mkdtempSync(join(tmpdir(), "ot-srv-"));
  const env: NodeJS.ProcessEnv = { PATH: process.env["PATH"], HOME: home, OPENTIGER_HOME: home, ...more };
  const started: RunningServer[] = [];
  return {
    home,
    env,
    start: async (options = {}) => {
      const server = await startServer({ env, port: 0, processes: [], launcher: nothing, ...options });
      started.push(server);
      return server;
    },
    remove: async () => {
      await Promise.all(started.map((server) => server.close()));
      await new HostBackend(openState(home)).reset();
      await new Sandboxd(env).stop();
      await new EmbeddedPostgres(env).remove();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
