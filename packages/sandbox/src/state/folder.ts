import { chmodSync, mkdirSync, type Stats, statSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, parse, resolve } from "node:path";
import { SandboxError } from "../errors.ts";
import { systemFolders, systemTrees } from "../workspace/system-folders.ts";

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
    const found = statSync(folder);
    const me = process.getuid?.() ?? found.uid;
    if (found.uid !== me && me !== 0) throw foreign(folder, found.uid);
    if ((found.mode & 0o077) === 0) return;
    if (isShared(folder, found)) throw shared(folder);
    chmodSync(folder, 0o700);
  } catch (error) {
    if (error instanceof SandboxError) throw error;
    throw new SandboxError("internal", `the state folder ${folder} cannot be made: ${String(error)}`, {
      remedy: "set OPENTIGER_HOME to a folder that you can write",
      cause: error,
    });
  }
}

/** Others need it as it is, like the folder of all temporary files: root could close it, and must not. */
export function isShared(folder: string, { mode }: Pick<Stats, "mode">): boolean {
  const path = resolve(folder);
  const isSystems = path === parse(path).root || systemFolders.includes(path) || systemTrees.includes(path);
  return isSystems || (mode & stickyBit) !== 0;
}

/** On a folder in which everybody makes files and nobody removes another's. */
const stickyBit = 0o1000;

function absolute(variable: string, value: string): string {
  if (isAbsolute(value)) return value;
  throw new SandboxError("usage", `${variable} must be an absolute path, and is ${JSON.stringify(value)}`, {
    remedy: `set ${variable} to an absolute path, or unset it`,
  });
}

function shared(folder: string): SandboxError {
  return new SandboxError(
    "internal",
    `the state folder ${folder} would have to be closed to all others, and is theirs too`,
    {
      remedy: `set OPENTIGER_HOME to a folder of its own, such as ${join(folder, "opentiger")}`,
    },
  );
}

function foreign(folder: string, uid: number): SandboxError {
  return new SandboxError("internal", `the state folder ${folder} belongs to another user (uid ${uid})`, {
    remedy: "set OPENTIGER_HOME to a folder of your own",
  });
}
