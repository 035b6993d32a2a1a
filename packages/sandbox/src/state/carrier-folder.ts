import { createHash } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errno } from "@opentiger/schema";
import { SandboxError } from "../errors.ts";

/** Linux takes 107 bytes for a socket's path; a socket's own name in the folder takes up to this many. */
const longestFolder = 107 - 40;
const idBytes = 16;

/**
 * The folder of one sandbox in which sockets are put for its supervisor to dial. It is mounted into that sandbox
 * alone. Inside, root without any right to pass over modes must enter it: hence 0755, below a parent that only this
 * user can enter.
 */
export function carrierFolder(stateFolder: string, id: string): string {
  return join(carrierBase(stateFolder), id);
}

/** Also after a reboot has emptied the temporary folder: the path of a sandbox's folder never changes. */
export function ensureCarrierFolder(stateFolder: string, id: string): string {
  const base = carrierBase(stateFolder);
  ensurePrivate(base);
  const folder = join(base, id);
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o755);
  return folder;
}

export function removeCarrierFolder(stateFolder: string, id: string): void {
  rmSync(join(carrierBase(stateFolder), id), { recursive: true, force: true });
}

/** A folder of this instance's whose path is short enough for a socket's, and that only this user can enter. */
export function socketFolder(stateFolder: string): string {
  const base = carrierBase(stateFolder);
  ensurePrivate(base);
  return base;
}

/** Below the state folder when that is short enough, else elsewhere; where, is decided once and kept as a link. */
function carrierBase(stateFolder: string): string {
  const below = join(stateFolder, "c");
  if (Buffer.byteLength(below) + 1 + idBytes <= longestFolder) return below;
  const link = join(stateFolder, "carriers");
  const decided = readLink(link);
  if (decided !== undefined) return decided;
  mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
  try {
    symlinkSync(shortBase(stateFolder), link);
  } catch (error) {
    if (errno(error) !== "EEXIST") throw error;
  }
  return readlinkSync(link);
}

function shortBase(stateFolder: string): string {
  const hash = createHash("sha256").update(stateFolder).digest("hex").slice(0, 12);
  for (const parent of [process.env["XDG_RUNTIME_DIR"], tmpdir(), "/tmp"]) {
    if (!parent) continue;
    const base = join(parent, `opentiger-${hash}`);
    if (Buffer.byteLength(base) + 1 + idBytes <= longestFolder) return base;
  }
  throw new SandboxError(
    "internal",
    `no path short enough for a socket was found (the state is in ${stateFolder})`,
    {
      remedy: "set OPENTIGER_HOME to a shorter path",
    },
  );
}

/** In a folder that everybody may write, somebody else may have made ours first: that one is not used. */
function ensurePrivate(base: string): void {
  mkdirSync(base, { recursive: true, mode: 0o700 });
  const found = lstatSync(base);
  const me = process.getuid?.() ?? found.uid;
  if (found.isDirectory() && found.uid === me) {
    if ((found.mode & 0o077) !== 0) chmodSync(base, 0o700);
    return;
  }
  throw new SandboxError("internal", `${base} is not a folder of yours`, {
    remedy: `remove ${base}, or set OPENTIGER_HOME to a shorter path`,
  });
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (errno(error) === "ENOENT") return undefined;
    throw error;
  }
}
