import { mkdirSync } from "node:fs";
import { createServer } from "node:http";
import { DockerBackend, openState, stateFolder } from "@opentiger/sandbox";
import { opentigerVersion } from "@opentiger/schema";
import { openVault } from "@opentiger/secrets";
import { claimSocket } from "./daemon/claim.ts";
import { Daemon } from "./daemon/daemon.ts";
import { engineDisk } from "./daemon/engine-disk.ts";
import { Engines } from "./daemon/engines.ts";
import { HostRuns } from "./daemon/host-runs.ts";
import { lineLog } from "./daemon/log.ts";
import { PoolKeeper } from "./daemon/pool-keeper.ts";
import { answer } from "./daemon/router.ts";
import { routes } from "./daemon/routes.ts";
import { DiskWatch } from "./disk/disk-watch.ts";
import { diskFloor } from "./disk/floor.ts";
import { Egress } from "./egress/egress.ts";
import { EgressLog } from "./egress/log/egress-log.ts";
import { vaultSource } from "./gateway/credentials/vault-source.ts";
import { Gateway } from "./gateway/gateway.ts";
import { sandboxdPaths } from "./paths.ts";

/** How soon a daemon whose socket was removed or replaced notices, and ends. */
const claimCheckMs = 2_000;

/** A disk does not fill faster than we can look. */
const diskLookMs = 5_000;

/** Without a sandbox, and without anybody who asks, there is nothing to do; the next one starts another. */
const idleMs = 10 * 60_000;

/** The daemon: started by whoever needs it first, detached, with its log as stdout. May be killed at any time. */
async function main(env: NodeJS.ProcessEnv): Promise<void> {
  process.umask(0o077);
  const log = lineLog;
  process.on("uncaughtException", (error) => log("error", "uncaught", { error: error.stack }));
  process.on("unhandledRejection", (error) => log("error", "unhandled", { error: String(error) }));
  const floor = diskFloor(env);
  const state = openState(stateFolder(env));
  const paths = sandboxdPaths(state.folder);
  mkdirSync(paths.folder, { recursive: true, mode: 0o700 });

  const server = createServer();
  const claim = await claimSocket(paths.socket, server);
  if (!claim) return log("info", "another sandboxd runs already");
  const networkLog = new EgressLog(paths.networkLog);
  const egress = new Egress({ env, log: networkLog });
  const vault = openVault({ stateFolder: state.folder, env, program: "sandboxd" });
  const gateway = new Gateway({ env, folder: paths.gateway, credentials: vaultSource(vault) });
  const engines = new Engines(paths.engines, env);
  const pool = new PoolKeeper(poolAt, floor, log);
  const daemon = new Daemon({ state, engines, egress, gateway, networkLog, pool, log });
  const hostRuns = new HostRuns(gateway, paths.hostRuns, (sentence) => log("warn", sentence));
  const about = { version: opentigerVersion, stop: () => void stop("asked to") };
  const known = routes({ daemon, state, gateway, hostRuns, log: networkLog, about });
  let busy = Date.now();
  server.on("request", (request, response) => {
    // A server that looks after us does not want to find us gone.
    busy = Date.now();
    void answer(known, request, response);
  });
  await Promise.all([daemon.adopt(), hostRuns.adopt()]);
  log("info", "sandboxd runs", { sandboxes: daemon.sandboxes.length, version: opentigerVersion });

  setInterval(() => {
    if (daemon.sandboxes.length > 0) busy = Date.now();
    void hostRuns.live().then((count) => {
      if (count > 0) busy = Date.now();
    });
    if (!claim.holds()) void stop("its socket is gone");
    else if (Date.now() - busy > idleMs) void stop("there is no sandbox");
  }, claimCheckMs);
  const disk = new DiskWatch(engineDisk(state, engines), floor);
  setInterval(() => {
    disk.look().then(
      (paused) => {
        for (const sandbox of paused) log("warn", "paused: the disk is nearly full", { sandbox });
      },
      (error: unknown) => log("warn", "the disk could not be looked at", { error: String(error) }),
    );
  }, diskLookMs);
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void stop(signal));
  process.on("SIGHUP", () => {});

  /** Only the engine is another command's: the state folder stays ours. */
  function poolAt(engine: string): DockerBackend {
    const address = engines.addressOf(engine);
    const warn = (sentence: string) => log("warn", sentence);
    return new DockerBackend({ ...address, env: { ...address.env, OPENTIGER_HOME: state.folder }, warn });
  }

  async function stop(why: string): Promise<void> {
    log("info", "sandboxd ends", { why });
    egress.close();
    await Promise.allSettled([daemon.close(), gateway.close(), networkLog.close()]);
    // Last: whoever waits for our end finds nothing of ours under way.
    claim?.release();
    process.exit(0);
  }
}

/** One that could not start ends: nothing would ever ask it anything. */
await main(process.env).catch((error: unknown) => {
  lineLog("error", "sandboxd did not start", { error: error instanceof Error ? error.stack : String(error) });
  process.exit(1);
});
