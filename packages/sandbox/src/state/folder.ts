import { chmodSync, mkdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { SandboxError } from "../errors.ts";

/** Where this user's openTiger keeps what it must remember: `OPENTIGER_HOME`, else the XDG state folder. */
export function stateFolder(env: NodeJS.ProcessEnv = process.env): string {
  const own = env["OPENTIGER_HOME"];
  if (own) return absolute("OPENTIGER_HOME", own);
  const xdg = env["XDG_STATE_HOME"];
  // The XDG specification says that a relative value is to be ignored.
  if (xdg && isAbsolute(xdg)) return join(xdg, "opentiger");
  return join(env["HOME"] || homedir(), ".local", "state", "opentiger");
}

/** Makes the folder if need be. Afterwards it belongs to this user and nobody else can enter it. */
export function ensureStateFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = statSync(folder);
    const me = process.getuid?.() ?? uid;
    if (uid !== me && me !== 0) throw foreign(folder, uid);
    if ((mode & 0o077) !== 0) chmodSync(folder, 0o700);
  } catch (error) {
    if (error instanceof SandboxError) throw error;
    throw new SandboxError("internal", `the state folder ${folder} cannot be made: ${String(error)}`, {
      remedy: "set OPENTIGER_HOME to a folder that you can write",
      cause: error,
    });
  }
}

function absolute(variable: string, value: string): string {
  if (isAbsolute(value)) return value;
  throw new SandboxError("usage", `${variable} must be an absolute path, and is ${JSON.stringify(value)}`, {
    remedy: `set ${variable} to an absolute path, or unset it`,
  });
}

function foreign(folder: string, uid: number): SandboxError {
  return new SandboxError("internal", `the state folder ${folder} belongs to another user (uid ${uid})`, {
    remedy: "set OPENTIGER_HOME to a folder of your own",
  });
}
