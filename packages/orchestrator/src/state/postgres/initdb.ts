import { userInfo } from "node:os";
import { text } from "node:stream/consumers";
import { anySignal } from "@opentiger/schema";
import { OrchestratorError } from "../../errors.ts";
import { type Program, startProgram } from "./program.ts";

/** The role that owns everything in a database of ours. */
export const databaseUser = "opentiger";

/** Half a second on an idle machine. */
const initdbTimeoutMs = 120_000;

export interface DataMaking {
  program: Program;
  signal: AbortSignal | undefined;
}

/** Makes a database in a folder that is not there yet. It answers to its password only. */
export async function initdb(data: string, password: string, { program, signal }: DataMaking): Promise<void> {
  const login = [`--username=${databaseUser}`, `--pwfile=${password}`, "--auth=scram-sha-256"];
  const locale = ["--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"];
  // Whoever is killed over it leaves nothing in the memory that all processes share.
  const memory = ["-c", "dynamic_shared_memory_type=mmap"];
  const options = [...login, ...locale, ...memory, "--no-instructions"];
  const child = startProgram(program, "initdb", ["-D", data, ...options], {
    stdio: ["ignore", "ignore", "pipe"],
    signal: anySignal([AbortSignal.timeout(initdbTimeoutMs), ...(signal ? [signal] : [])]),
    killSignal: "SIGKILL",
  });
  const ended = new Promise<string>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, killed) => resolve(code === 0 ? "" : `it ended with ${code ?? killed}`));
  });
  const said = child.stderr ? text(child.stderr) : "";
  const [words, failure] = await Promise.all([said, ended]).catch((cause: unknown) => {
    signal?.throwIfAborted();
    throw notMade(data, cause instanceof Error ? cause.message : String(cause), cause);
  });
  if (failure) throw notMade(data, words.trim() || failure);
}

/** initdb asks for the name behind the uid, and ends without one. */
export function refuseNameless(): void {
  try {
    userInfo();
  } catch (cause) {
    const uid = process.getuid?.();
    throw new OrchestratorError(
      "database_unavailable",
      `PostgreSQL cannot make a database for uid ${uid}: /etc/passwd has no name for it`,
      {
        remedy: `set OPENTIGER_DATABASE_URL to a PostgreSQL of your own, or give uid ${uid} a line in /etc/passwd`,
        cause,
      },
    );
  }
}

function notMade(data: string, why: string, cause?: unknown): OrchestratorError {
  return new OrchestratorError(
    "database_unavailable",
    `PostgreSQL could not make a database in ${data}: ${why}`,
    {
      remedy: "mend what it says, or set OPENTIGER_DATABASE_URL to a PostgreSQL of your own",
      cause,
    },
  );
}
