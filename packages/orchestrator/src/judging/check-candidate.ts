import type { CheckRound, ReworkPoint } from "@opentiger/schema";
import { leftOutNote } from "../planning/approval.ts";
import { setupAt } from "../project/setup-at.ts";
import { commandsOf, replacedTests } from "../running/checks.ts";
import { compareChecks, isTimedOut } from "../verifying/compare.ts";
import { pointsOfChecks, testsFirst, tooLongBefore } from "../verifying/round-words.ts";
import type { Judging } from "./judging.ts";
import { changedLocks, changedManifests, lockNotes } from "./lock-files.ts";
import type { OnTip } from "./on-tip.ts";
import { restoredRounds } from "./restored-rounds.ts";
import { rememberRound, roundBefore, runRound } from "./rounds.ts";
import { setUpNotes } from "./set-up-again.ts";

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
  const { changes, commit } = candidate;
  const locks = new Set([
    ...changedLocks(changes, judging.project.lockFiles),
    ...(await changedManifests(judging, commit, changes)),
  ]);
  const notes = [...judging.leftOut.map(leftOutNote), ...(await lockNotes(judging, commit, [...locks]))];
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
  const setup = await setupAt(judging.repository, judging.project, commit);
  const isSetUpAgain = locks.size > 0 && setup.length > 0;
  if (isSetUpAgain) notes.push("the project was set up again for the judge", ...setUpNotes(judging));
  const all = commandsOf(judging);
  const asIs = await runRound(judging, {
    part: "checks",
    tree: "as_is",
    commit,
    commands: all,
    isSetUpAgain,
  });
  checked.rounds.push(asIs);
  if (isSpokenAgainst(say(judging, checked, before, asIs))) return checked;
  const rounds = await restoredRounds(judging, candidate, notes);
  for (const round of rounds) {
    checked.rounds.push(await runRound(judging, { ...round, tree: "restored", isSetUpAgain }));
  }
  const again = rounds.length > 0 ? restoredResults(checked.rounds) : undefined;
  if (again && isSpokenAgainst(say(judging, checked, before, again))) return checked;
  if (locks.size === 0 && !judging.heldFor) await rememberRound(judging, asIs);
  return checked;
}

/** Of a command that was run several times the last results; one that was not run again would have come to the same. */
function restoredResults(rounds: readonly CheckRound[]): CheckRound | undefined {
  const [first, ...others] = rounds;
  return (
    first &&
    others.reduce((before, { tree, commit, results }) => {
      const isRun = new Set(results.map(({ command }) => command));
      return {
        tree,
        commit,
        results: [...before.results.filter(({ command }) => !isRun.has(command)), ...results],
      };
    }, first)
  );
}

function say(judging: Judging, checked: Checked, before: CheckRound, after: CheckRound): Checked {
  const said = judging.heldFor ? testsFirst(before, after) : compared(judging, before, after);
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
  const { broken, redBefore, unknown, evidence } = compareChecks({ before, after, mayChange });
  const said: Said = { redBefore, notes: [], points: [], trouble: null };
  if (broken.length > 0 && broken.every(isTimedOut))
    return {
      ...said,
      trouble: `a check took longer than it may: ${broken.map(({ command }) => command).join(", ")}`,
    };
  if (broken.length > 0) return { ...said, points: pointsOfChecks(broken, after.tree) };
  if (unknown.length > 0) return { ...said, trouble: tooLongBefore(unknown) };
  if (!evidence) return { ...said, trouble: "no check was green: there is no evidence for it" };
  return said;
}
