import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureProcess, OrchestratorError, ProcessClient, startDetached } from "@opentiger/orchestrator";
import { stateFolder } from "@opentiger/sandbox";
import { type ErrorCode, isErrorCode, jsonOf } from "@opentiger/schema";
import { z } from "zod";
import {
  type GivenFlags,
  givenFlags,
  type LoginLink,
  loginLink,
  type PinnedSettings,
  pinnedSettings,
  type ServerPaths,
  type ServerStatus,
  serverPaths,
  serverStatus,
} from "./status.ts";

/** The server of an instance, as its owner sees it. */
export class ServerClient extends ProcessClient<ServerStatus> {
  readonly paths: ServerPaths;

  constructor(env: NodeJS.ProcessEnv = process.env) {
    const paths = serverPaths(stateFolder(env));
    super({ name: "server", socket: paths.socket, log: paths.log, shape: serverStatus });
    this.paths = paths;
  }

  /** What it was given by `up --set`; nothing where none runs, or one that does not say so. */
  async flags(): Promise<GivenFlags> {
    return (await this.ask("GET", "/flags", givenFlags).catch(() => undefined)) ?? {};
  }

  /** What its environment decides, whatever is stored; nothing where none runs, or one that does not say so. */
  async pins(): Promise<PinnedSettings> {
    return (await this.ask("GET", "/pins", pinnedSettings).catch(() => undefined)) ?? {};
  }

  /** A link with which a browser logs in, once. undefined: no server runs. */
  async loginLink(): Promise<LoginLink | undefined> {
    return this.ask("POST", "/login", loginLink);
  }

  /** Whether somebody has said since then that nothing is to run until the next `up`. */
  downSince(time: Date): boolean {
    const noted = statSync(this.paths.down, { throwIfNoEntry: false });
    return noted !== undefined && noted.mtimeMs >= time.getTime();
  }

  /** Who waits for a loop leaves it, and starts nothing again. */
  noteDown(): void {
    mkdirSync(dirname(this.paths.down), { recursive: true, mode: 0o700 });
    writeFileSync(this.paths.down, "", { mode: 0o600 });
  }
}

export interface EnsureServerOptions {
  /** Told what takes a moment. */
  say?: (sentence: string) => void;
  signal?: AbortSignal;
}

export interface EnsuredServer {
  status: ServerStatus;
  /** false: it ran already. */
  started: boolean;
}

/**
 * Returns when a server of this instance answers: the one that is there, else a new one, detached, which goes on when we
 * end. One of another version is replaced; what it looks after goes on.
 */
export async function ensureServer(
  env: NodeJS.ProcessEnv = process.env,
  { say, signal }: EnsureServerOptions = {},
): Promise<EnsuredServer> {
  const client = new ServerClient(env);
  const { log, down } = client.paths;
  rmSync(down, { force: true });
  let told = "";
  const tell = (sentence: string | null) => {
    if (sentence === null || sentence === told) return;
    told = sentence;
    say?.(sentence);
  };
  return ensureProcess({
    client,
    log,
    start: () => {
      tell("Starting the server.");
      return startDetached({ bundle: serverBundle(), env, log });
    },
    complaint: (said) => didNotStart(said, log),
    onStatus: ({ doing }) => tell(doing),
    signal,
  });
}

/** Beside the bundled command line, or in this package's own build. */
function serverBundle(): string {
  const places = ["./server.js", "../../dist/server.js", "../../server/dist/server.js"];
  for (const place of places) {
    const path = fileURLToPath(new URL(place, import.meta.url));
    if (existsSync(path)) return path;
  }
  throw new OrchestratorError("internal", "the server's file is missing: openTiger was not built", {
    remedy: "npm run build",
  });
}

const reason = z.object({
  code: z.custom<ErrorCode>(isErrorCode),
  message: z.string(),
  remedy: z.string().optional(),
});

/** Its last line says why, as an error of ours. */
function didNotStart(said: string, log: string): OrchestratorError {
  const known = reason.safeParse(jsonOf(said.split("\n").at(-1) ?? ""));
  if (!known.success)
    return new OrchestratorError("internal", `the server did not start${said === "" ? "" : `: ${said}`}`, {
      remedy: `see ${log}`,
    });
  const { code, message, remedy } = known.data;
  return new OrchestratorError(code, message, {
    remedy: remedy === undefined || code === "internal" ? `see ${log}` : remedy,
  });
}
