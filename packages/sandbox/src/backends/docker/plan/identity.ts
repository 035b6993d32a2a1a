import { readFileSync } from "node:fs";
import { userInfo } from "node:os";
import type { WorkspaceKind } from "@opentiger/schema";
import { SandboxError } from "../../../errors.ts";
import { markerGids } from "../../../supervisor/config.ts";
import type { EngineFacts } from "../engine/facts.ts";

/** Whom commands run as inside, and what that means for the guard. */
export interface Identity {
  uid: number;
  gid: number;
  isolation: "separate-uid" | "agent-root";
}

/** The worker image's own user. */
const ordinary = { uid: 1000, gid: 1000 };

/** A user namespace maps this many ids and no more. */
const mappedIds = 65_536;

/**
 * direct: the owner of the workspace as the container sees it, so that what an agent writes belongs to whom the
 * folder does. clone: the same where possible, and never root, since nothing of the host is there to own.
 */
export function decideIdentity(
  kind: WorkspaceKind,
  owner: { uid: number; gid: number; path: string },
  facts: EngineFacts,
): Identity {
  if (kind === "clone" || facts.location !== "local")
    return { ...cloneUser(owner, facts), isolation: "separate-uid" };
  const seen = facts.rootless ? insideRootless(owner) : { uid: owner.uid, gid: owner.gid };
  if (seen.gid >= markerGids.first && seen.gid <= markerGids.last) throw reservedGroup(owner.path, seen.gid);
  return { ...seen, isolation: seen.uid === 0 ? "agent-root" : "separate-uid" };
}

function cloneUser(owner: { uid: number; gid: number }, facts: EngineFacts): { uid: number; gid: number } {
  const namespaced = facts.rootless || facts.usernsRemap || facts.location !== "local";
  const outside = namespaced && (owner.uid >= mappedIds || owner.gid >= mappedIds);
  const reserved = owner.gid >= markerGids.first && owner.gid <= markerGids.last;
  if (owner.uid === 0 || outside || reserved) return ordinary;
  return { uid: owner.uid, gid: owner.gid === 0 ? owner.uid : owner.gid };
}

/** A rootless engine shows the files of its own user as root's, and maps other ids as /etc/subuid says. */
function insideRootless(owner: { uid: number; gid: number; path: string }): { uid: number; gid: number } {
  const me = userInfo();
  const uid = owner.uid === me.uid ? 0 : mapped("/etc/subuid", owner.uid, me);
  const gid = owner.gid === me.gid ? 0 : mapped("/etc/subgid", owner.gid, me);
  if (uid === undefined) {
    throw new SandboxError(
      "workspace_refused",
      `${owner.path} belongs to uid ${owner.uid}, which a rootless engine of yours cannot use`,
      { remedy: "give the folder to yourself, or use --clone" },
    );
  }
  return { uid, gid: gid ?? uid };
}

function mapped(file: string, id: number, me: { uid: number; username: string }): number | undefined {
  let inside = 1;
  for (const line of readLines(file)) {
    const [user, start, count] = line.split(":");
    if (user !== me.username && user !== String(me.uid)) continue;
    const first = Number(start);
    const size = Number(count);
    if (id >= first && id < first + size) return inside + (id - first);
    inside += size;
  }
  return undefined;
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split("\n").filter(Boolean);
  } catch {
    return [];
  }
}

function reservedGroup(path: string, gid: number): SandboxError {
  return new SandboxError(
    "workspace_refused",
    `${path} belongs to the group ${gid}, which marks commands inside a sandbox (${markerGids.first}–${markerGids.last})`,
    { remedy: "give the folder to another group with chgrp, or use --clone" },
  );
}
