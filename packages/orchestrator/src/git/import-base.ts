import { accessSync, constants } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  checkComplete,
  openRepository,
  type Repository,
  resolveCommit,
  shallowBoundary,
  withFileLock,
  writeAtomically,
} from "@opentiger/sandbox";
import { errno } from "@opentiger/schema";
import { OrchestratorError } from "../errors.ts";
import { baseNotes, emptyNotes } from "./base-notes.ts";
import { writeCommit } from "./commit.ts";
import { copyHistory, presentCommits } from "./history-transfer.ts";
import type { OwnGit } from "./own-git.ts";
import { allPins, readPin, setPinOnce } from "./pins.ts";
import { UserGit } from "./user-git.ts";

export interface ImportedBase {
  baseOid: string;
  /** What the user should know of their repository before they wait for a result. */
  notes: string[];
}

/** Of all that is pinned, the newest ones say as much: more only make the question longer. */
const mostKnown = 200;

/**
 * Brings the commit that a loop starts from into our repository, with its history, and pins it. Once that was done it
 * stays the one, however often it is asked for and wherever the user's HEAD has gone since.
 */
export async function importBase(
  own: OwnGit,
  userPath: string,
  loop: string,
  revision: string | undefined,
): Promise<ImportedBase> {
  const user = await openRepository(userPath, own.signal);
  const format = (await own.run(["rev-parse", "--show-object-format"])).trim();
  if (format !== user.format) throw otherFormat(userPath, format, user.format);
  const pinned = await readPin(own, loop, "base");
  if (pinned) return { baseOid: pinned, notes: await notesOf(own, user, pinned) };
  await checkBranchPlace(user, own.signal);
  const commit = await resolveCommit(userPath, revision, own.signal);
  if (commit) await copyBase(own, user, commit);
  const baseOid = await pinBase(own, user, loop, commit ?? (await firstCommit(own)));
  return { baseOid, notes: await notesOf(own, user, baseOid) };
}

async function notesOf(own: OwnGit, user: Repository, baseOid: string): Promise<string[]> {
  return user.head === undefined ? emptyNotes(user) : baseNotes(own, user, baseOid);
}

async function copyBase(own: OwnGit, user: Repository, commit: string): Promise<void> {
  await checkComplete(user, commit, own.signal);
  const store = new UserGit(user.path, own.signal);
  // Where a history is cut, having a commit does not mean having what is before it.
  const isCut = user.isShallow || (await readShallow(own)).length > 0;
  const known = isCut ? [] : (await allPins(own)).slice(0, mostKnown);
  if (known.includes(commit)) return;
  await copyHistory(store, own, commit, await presentCommits(store, known));
}

/** The list of where histories are cut is one file for all loops, so it is changed by one process at a time. */
async function pinBase(own: OwnGit, user: Repository, loop: string, commit: string): Promise<string> {
  const boundary = user.head === undefined ? [] : await shallowBoundary(user, commit, own.signal);
  if (boundary.length === 0) return setPinOnce(own, loop, "base", commit);
  return withFileLock(
    maintenanceLock(own),
    async () => {
      const all = new Set([...(await readShallow(own)), ...boundary]);
      writeAtomically(join(own.path, "shallow"), [...all].map((oid) => `${oid}\n`).join(""));
      return setPinOnce(own, loop, "base", commit);
    },
    { code: "git_failed", signal: own.signal },
  );
}

/** Who holds it may clean up, or change what cleaning up looks at. */
export function maintenanceLock(own: OwnGit): string {
  return join(own.path, "opentiger.flock");
}

async function readShallow(own: OwnGit): Promise<string[]> {
  try {
    const text = await readFile(join(own.path, "shallow"), "utf8");
    return text.split("\n").filter((line) => line !== "");
  } catch (error) {
    if (errno(error) === "ENOENT") return [];
    throw error;
  }
}

/** For a repository without any: a commit without a file, so that there is something to start from. */
async function firstCommit(own: OwnGit): Promise<string> {
  const tree = (await own.run(["mktree"])).trim();
  const author = { name: "openTiger", email: "opentiger@localhost" };
  return writeCommit(own, { tree, parents: [], message: "Begin\n", author, date: new Date() });
}

/** The result will be a branch there. Better now than after hours of work. */
async function checkBranchPlace(user: Repository, signal: AbortSignal | undefined): Promise<void> {
  const store = new UserGit(user.path, signal);
  const taken = await store.run(["for-each-ref", "--format=%(refname)", "refs/heads/tiger"]);
  if (taken.split("\n").includes("refs/heads/tiger")) {
    throw new OrchestratorError(
      "not_allowed_now",
      "there is a branch `tiger`, so that none can be called `tiger/…`",
      {
        remedy: `rename it: git -C ${user.path} branch -m tiger another-name`,
      },
    );
  }
  try {
    for (const name of ["refs", "objects"]) accessSync(join(user.commonDir, name), constants.W_OK);
  } catch (cause) {
    throw new OrchestratorError(
      "workspace_refused",
      `${user.commonDir} cannot be written, and the result is a branch in it`,
      {
        remedy: "run as the repository's owner, or work on a clone of it",
        cause,
      },
    );
  }
}

function otherFormat(path: string, before: string, now: string): OrchestratorError {
  return new OrchestratorError("git_failed", `${path} uses ${now} now, and was known with ${before}`, {
    remedy: "it was made anew at the same place; move it to another folder and start the loop there",
  });
}
