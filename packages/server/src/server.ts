import { randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { type OpenPlace, openPlace, processSkipped } from "@opentiger/orchestrator";
import { errno } from "@opentiger/schema";
import { openVault } from "@opentiger/secrets";
import { Access } from "./access/access.ts";
import { bindsLoopbackOnly } from "./access/addresses.ts";
import { forgetOldAudit } from "./access/audit.ts";
import { trustsLocalCalls } from "./access/local-trust.ts";
import { SandboxdSockets } from "./access/sandboxd-sockets.ts";
import { forgetOldTokens, hasKey } from "./access/tokens.ts";
import { createApp } from "./api/app.ts";
import { ServerError } from "./errors.ts";
import { Metrics } from "./http/metrics.ts";
import { ImageBuilder } from "./image/image-builder.ts";
import { type ListenAddress, listenAddress } from "./listening/listen-address.ts";
import { portTaken, urlOf } from "./listening/port-taken.ts";
import { Feed } from "./live/feed.ts";
import { Streams } from "./live/streams.ts";
import type { Parts } from "./parts.ts";
import { instanceLauncher, type Launcher, sandboxdName } from "./processes/launcher.ts";
import { Processes } from "./processes/processes.ts";
import { usualKeepMs } from "./terminal/shells.ts";
import { Terminals } from "./terminal/terminals.ts";

export interface ServerOptions {
  env: NodeJS.ProcessEnv;
  /** Default: `OPENTIGER_API_HOST`, else this machine alone. */
  host?: string;
  /** Default: `OPENTIGER_API_PORT`, else 4301. 0: any. */
  port?: number;
  log?: (line: string) => void;
  /** Told what takes a moment while it starts; the log by default. */
  say?: (sentence: string) => void;
  /** What is kept running where nobody has said anything else; sandboxd and the dispatcher by default. */
  processes?: readonly string[];
  launcher?: Launcher;
  /** How long a shell of the browser's waits for somebody to come back. */
  keepShellsMs?: number;
  signal?: AbortSignal;
}

export interface RunningServer {
  url: string;
  port: number;
  parts: Parts;
  /** Ends the server. What it looks after goes on. */
  close(): Promise<void>;
}

/** Answers that are under way have so long to end; then they are cut, and whoever asked asks again. */
const drainMs = 3_000;

const tidyEveryMs = 3_600_000;

/** Everything on one port: the API, the pages, and what looks after the processes. Ready when it returns. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { env, log = () => {} } = options;
  const usual = listenAddress(env);
  const { host = usual.host, port = usual.port } = options;
  const trustsLocal = trustsLocalCalls(env);
  const place = await openPlace(env, {
    program: "server",
    log,
    say: options.say ?? log,
    ...(options.signal ? { signal: options.signal } : {}),
  });
  try {
    const loopbackOnly = bindsLoopbackOnly(host);
    if (!loopbackOnly) await requireKey(place, host);
    return await listen(place, { ...options, log, host, port, loopbackOnly, trustsLocal });
  } catch (error) {
    await place.close();
    throw error;
  }
}

interface Listening extends ServerOptions, ListenAddress {
  host: string;
  port: number;
  trustsLocal: boolean;
  loopbackOnly: boolean;
  log: (line: string) => void;
}

async function listen(place: OpenPlace, options: Listening): Promise<RunningServer> {
  const { env, host, loopbackOnly, trustsLocal, log } = options;
  const ending = new AbortController();
  const server = createServer();
  const feed = await Feed.open(place.database);
  // Before anything is started: one that cannot listen leaves nothing behind. Nobody is heard before this function ends.
  const port = await bind(server, options).catch(async (error: unknown) => {
    await feed.close();
    throw error;
  });
  const url = urlOf({ host, port });
  const processes = Processes.open({
    launcher: options.launcher ?? instanceLauncher(env, place.sandboxd),
    file: join(place.folder, "processes.json"),
    usual: options.processes ?? [sandboxdName, "dispatcher"],
    skipped: (name) => processSkipped(place.config, name).skipped,
    log,
  });
  const hosts = { loopbackOnly, names: namesOf(env) };
  const sandboxd = new SandboxdSockets(place.sandboxd);
  const parts: Parts = {
    place,
    vault: openVault({ stateFolder: place.folder, env, program: "server" }),
    access: new Access({ database: place.database, env, hosts, sandboxd, trustsLocal }),
    feed,
    streams: new Streams(ending.signal),
    processes,
    images: new ImageBuilder(place, ending.signal),
    metrics: new Metrics(),
    signal: ending.signal,
    boot: randomBytes(8).toString("hex"),
    beyondLoopback: !loopbackOnly,
    url: () => url,
  };
  const app = createApp(parts);
  const terminals = new Terminals(parts, server, options.keepShellsMs ?? usualKeepMs);
  server.on(
    "request",
    getRequestListener((request, bindings) => app.fetch(request, bindings)),
  );
  const tidying = setInterval(() => tidy(parts), tidyEveryMs).unref();
  const close = async () => {
    clearInterval(tidying);
    ending.abort();
    await Promise.all([
      stopListening(server),
      terminals.close(),
      feed.close(),
      processes.close(),
      parts.images.ended(),
    ]);
    await place.close();
  };
  log(`listens at ${url}`);
  return { url, port, parts, close };
}

/** Beyond this machine nobody is trusted for where they are. */
async function requireKey({ database, env }: OpenPlace, host: string): Promise<void> {
  if (env["OPENTIGER_API_KEY"] || (await hasKey(database))) return;
  throw new ServerError(
    "key_required",
    `the server is to listen on ${host}, and there is no key to ask for`,
    {
      remedy: "make one with `opentiger keys add NAME`, or leave OPENTIGER_API_HOST as 127.0.0.1",
    },
  );
}

async function bind(server: Server, address: ListenAddress): Promise<number> {
  try {
    return await listenOn(server, address);
  } catch (error) {
    throw errno(error) === "EADDRINUSE" ? await portTaken(address, error) : error;
  }
}

function listenOn(server: Server, { host, port }: ListenAddress): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}

async function stopListening(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), drainMs);
  await closed;
  clearTimeout(cut);
}

function namesOf(env: NodeJS.ProcessEnv): string[] {
  const words = (env["OPENTIGER_ALLOWED_HOSTS"] ?? "").split(",");
  return words.map((word) => word.trim().toLowerCase()).filter((word) => word !== "");
}

function tidy({ place }: Parts): void {
  const complain = (error: unknown) => place.log(`old rows could not be removed: ${String(error)}`);
  forgetOldTokens(place.database).catch(complain);
  forgetOldAudit(place.database).catch(complain);
}
