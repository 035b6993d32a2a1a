import { readFileSync } from "node:fs";
import { RefusedError } from "./refusals.ts";

export interface UserEntry {
  uid: number;
  gid: number;
  name: string | null;
  home: string | null;
}

/** Resolves `UID[:GID]` or `name[:group]` with the sandbox's own passwd and group files. */
export function findUser(wanted: string): UserEntry {
  const [user = "", group] = wanted.split(":");
  const entry = passwdEntry(user);
  if (!entry && !/^\d+$/.test(user))
    throw new RefusedError("usage", `the sandbox has no user called ${user}`);
  const uid = entry?.uid ?? Number(user);
  const gid = group === undefined ? (entry?.gid ?? uid) : findGroup(group);
  return { uid, gid, name: entry?.name ?? null, home: entry?.home ?? null };
}

export function passwdEntry(user: string): UserEntry | undefined {
  for (const line of lines("/etc/passwd")) {
    const [name = "", , uid = "", gid = "", , home = ""] = line.split(":");
    if (name === user || uid === user) return { uid: Number(uid), gid: Number(gid), name, home };
  }
  return undefined;
}

function findGroup(group: string): number {
  for (const line of lines("/etc/group")) {
    const [name = "", , gid = ""] = line.split(":");
    if (name === group || gid === group) return Number(gid);
  }
  if (/^\d+$/.test(group)) return Number(group);
  throw new RefusedError("usage", `the sandbox has no group called ${group}`);
}

function lines(path: string): string[] {
  try {
    return readFileSync(path, "utf8").split("\n").filter(Boolean);
  } catch {
    return [];
  }
}
