import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atEnd } from "./at-end.ts";

/** Tests run as root give their workspaces away: a root-owned one would make the agent root. */
export const agentUid = process.getuid?.() === 0 ? 1000 : (process.getuid?.() ?? 1000);

/** Whoever runs the tests, as `docker run --user` takes it: whose the repositories are that tests make. */
export const testUser = `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`;

export const isRoot = process.getuid?.() === 0;

/** An empty folder, gone after the test file. */
export function temporaryFolder(prefix = "opentiger-test-"): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A workspace whose owner is the agent and not root. */
export function temporaryWorkspace(): string {
  const folder = temporaryFolder("opentiger-ws-");
  if (isRoot) chownSync(folder, agentUid, agentUid);
  return folder;
}

/** A workspace that belongs to root, which makes the agent uid 0 inside. Only root can make one. */
export function rootWorkspace(): string {
  return temporaryFolder("opentiger-root-ws-");
}
