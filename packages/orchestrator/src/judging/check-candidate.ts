import type { CheckRound, ReworkPoint } from "@opentiger/schema";
import type { FileChange } from "../git/file-change.ts";
import { commitOf } from "../merging/merged-candidate.ts";
import { commandsOf, replacedTests } from "../running/checks.ts";
import { compareChecks } from "../verifying/compare.ts";
import { pointsOfChecks, testsFirst } from "../verifying/round-words.ts";
import { firstFew } from "../wording.ts";
import { restoredPaths } from "./controls.ts";
import type { Judging } from "./judging.ts";
import { changedLocks, lockNotes } from "./lock-files.ts";
import { rememberRound, roundBefore, runRound } from "./rounds.ts";
import { setUpNotes } from "./set-up-again.ts";

/** A candidate on the tip. */
export interface OnTip {
  tree: string;
  commit: string;
  /** The tip, with the tests that were held for it. */
  onto: string;
  /** From the tip to it. */
  changes: readonly FileChange[];
}

/** What the checks say. */
export interface Checked {
  rounds: CheckRound[];
  redBefore: string[];
  notes: string[];
  /** Why it fails; empty where nothing speaks against it. */
  points: ReworkPoint[];
  /** Why nothing can be said, where that is so. */
  trouble: string | null;
}

/**
 * Runs the project's checks and the task's on a candidate: as it is, and again with the tests and build files from before
 * it. Each round has a sandbox of its own, in which nothing ran before. What was red on the tip is no evidence. Where a
 * project has no checks at all, that is said, and nothing but the model speaks for a candidate.
 */
export async function checkCandidate(judging: Judging, candidate: OnTip): Promise<Checked> {
  const locks = changedLocks(candidate.changes, judging.project.lockFiles);
  const notes = await lockNotes(judging, candidate.commit, locks);
  const checked: Checked = { rounds: [], redBefore: [], notes, points: [], trouble: null };
  if (commandsOf(judging).length === 0) {
    if (judging.heldFor)
      return { ...checked, trouble: "there is no check that could show that the new tests fail" };
    return {
      ...checked,
      notes: [...notes, "the project has no checks: nothing but this opinion speaks for it"],
    };
  }
  const before = await roundBefore(judging);
  const isSetUpAgain = locks.length > 0 && judging.project.setup.length > 0;
  if (isSetUpAgain) notes.push("the project was set up again for the judge", ...setUpNotes(judging));
  const asIs = await runRound(judging, { tree: "as_is", commit: candidate.commit, isSetUpAgain });
  if (isSpokenAgainst(addRound(judging, checked, before, asIs))) return checked;
  const restored = await restoredCommit(judging, candidate, notes);
  if (restored !== undefined) {
    const after = await runRound(judging, { tree: "restored", commit: restored, isSetUpAgain });
    if (isSpokenAgainst(addRound(judging, checked, before, after))) return checked;
  }
  if (locks.length === 0 && !judging.heldFor) await rememberRound(judging, asIs);
  return checked;
}

function addRound(judging: Judging, checked: Checked, before: CheckRound, after: CheckRound): Checked {
  const said = judging.heldFor ? testsFirst(before, after) : compared(judging, before, after);
  checked.rounds.push(after);
  checked.redBefore = [...new Set([...checked.redBefore, ...said.redBefore])];
  checked.notes.push(...said.notes);
  checked.points = said.points;
  checked.trouble = said.trouble;
  return checked;
}

function isSpokenAgainst({ points, trouble }: Checked): boolean {
  return points.length > 0 || trouble !== null;
}

type Said = Omit<Checked, "rounds">;

function compared(judging: Judging, before: CheckRound, after: CheckRound): Said {
  const mayChange = replacedTests(judging);
  const { broken, redBefore, evidence } = compareChecks({ before, after, mayChange });
  const said: Said = { redBefore, notes: [], points: [], trouble: null };
  if (broken.length > 0 && broken.every(({ exitCode }) => exitCode === timedOut))
    return {
      ...said,
      trouble: `a check took longer than it may: ${broken.map(({ command }) => command).join(", ")}`,
    };
  if (broken.length > 0) return { ...said, points: pointsOfChecks(broken, after.tree) };
  if (!evidence) return { ...said, trouble: "no check was green: there is no evidence for it" };
  return said;
}

/** As a shell says it. */
const timedOut = 124;

/** undefined: there is nothing to restore, and the round before is the answer. */
async function restoredCommit(
  { repository, project, task }: Judging,
  { tree, onto }: OnTip,
  notes: string[],
): Promise<string | undefined> {
  const isRestored = restoredPaths(project, task);
  const restored = await repository.restorePaths({ tree, from: onto, isRestored });
  if (restored.tree === tree) return undefined;
  const named = firstFew(restored.restored, namedPaths).join(", ");
  notes.push(`checked again with these as they were before: ${named}`);
  return commitOf(repository, restored.tree, onto);
}

const namedPaths = 20;
