import type { ReworkPoint } from "@opentiger/schema";
import type { FileChange } from "../git/file-change.ts";
import { checkRules } from "../git/rules.ts";
import { finalCommit } from "../merging/final-commit.ts";
import { commitOf, mergeCandidate } from "../merging/merged-candidate.ts";
import { lastPass } from "../state/judgements.ts";
import { askOpinions } from "./ask-opinions.ts";
import { type Checked, checkCandidate } from "./check-candidate.ts";
import { type Conclusion, failed, inconclusive, passed } from "./conclusion.ts";
import { changedRules } from "./controls.ts";
import type { Judging } from "./judging.ts";
import type { OnTip } from "./on-tip.ts";
import { opinionsAsEvidence, pointsOf, together } from "./opinion.ts";
import { setUpNotes } from "./set-up-again.ts";
import { setUpFault } from "./set-up-failure.ts";
import { isSameChange, type ShownChange, shownChange } from "./shown-change.ts";

/**
 * Comes to a judgement: the candidate on the tip, the rules, the checks, and then the model, each only where nothing before
 * it speaks against the candidate. What is decided without the model needs none.
 */
export async function deliberate(judging: Judging): Promise<Conclusion> {
  const { repository, tip } = judging;
  const merged = await mergeCandidate(repository, judging);
  if (!merged.ok) return failed(conflictPoints(merged.conflicts), {}, "conflict");
  // What is checked is the very commit that comes to the branch.
  const commit = judging.heldFor
    ? await commitOf(repository, merged.tree, tip)
    : await finalCommit(judging.place, judging, merged.tree);
  const changes = await repository.changes(tip, commit);
  const candidate: OnTip = { ...merged, commit, changes };
  const ruled = await ruling(judging, candidate);
  if (ruled.points.length > 0) return failed(ruled.points, { notes: ruled.notes });
  const change = await shownChange(repository, { from: tip, to: commit, changes });
  if (!change) return failed([tooLarge], { notes: ruled.notes });
  if (change.diffs.length === 0) return inconclusive("it changes nothing", { notes: ruled.notes });
  const checked = await checks(judging, candidate);
  checked.notes.unshift(...ruled.notes);
  const { rounds, redBefore, notes } = checked;
  if (checked.points.length > 0) return failed(checked.points, { rounds, redBefore, notes });
  if (checked.trouble !== null) return inconclusive(checked.trouble, { rounds, redBefore, notes });
  return opinionOfModel(judging, { ...candidate, change, checked });
}

async function opinionOfModel(
  judging: Judging,
  { commit, changes, change, checked }: OnTip & { change: ShownChange; checked: Checked },
): Promise<Conclusion> {
  const { rounds, redBefore, notes } = checked;
  const known = await earlierOpinions(judging, changes);
  if (known) return passed({ rounds, redBefore, ...known, notes: [...notes, ...known.notes] });
  const { opinions, failure } = await askOpinions(judging, { commit, change, checked });
  const evidence = { rounds, redBefore, notes, opinions: opinionsAsEvidence(opinions) };
  const word = together(opinions);
  if (word === "fail") return failed(pointsOf(opinions), evidence);
  if (failure) return inconclusive(failure.message, evidence, failure);
  if (word === "pass") return passed(evidence);
  const unsure = opinions.find(({ judgement }) => judgement === "inconclusive");
  return inconclusive(
    unsure ? `the judge could not tell: ${unsure.summary}` : "there is no opinion",
    evidence,
  );
}

/** What the model said of the same change when the branch was elsewhere; only the checks depend on where it is. */
async function earlierOpinions(
  { place, repository, task, candidateOid, baseOid, held }: Judging,
  changes: OnTip["changes"],
): Promise<Pick<Conclusion["evidence"], "opinions" | "notes"> | undefined> {
  const earlier = await lastPass(place.database, { task: task.id, candidateOid });
  if (!earlier || together(earlier.evidence.opinions) !== "pass") return undefined;
  const tip = earlier.baseOid;
  const merged = await mergeCandidate(repository, { tip, baseOid, candidateOid, held });
  if (!merged.ok) return undefined;
  if (!isSameChange(await repository.changes(tip, merged.tree), changes)) return undefined;
  const notes = [`the branch has moved on; the change is the same that was judged on ${tip}`];
  return { opinions: earlier.evidence.opinions, notes };
}

async function ruling(
  { repository, project, task, baseOid, candidateOid, held, tip }: Judging,
  { commit, changes }: OnTip,
): Promise<{ points: ReworkPoint[]; notes: string[] }> {
  // On the commit that it was made on, with nothing else, it is the same.
  const own =
    tip === baseOid && held.length === 0 ? changes : await repository.changes(baseOid, candidateOid);
  const tests = await heldChanges(repository, held);
  const locked = new Map(tests.flatMap(({ path, newOid }) => (newOid === null ? [] : [[path, newOid]])));
  const { allowedPaths, mayChange, role } = task;
  const points = checkRules(own, { allowedPaths, mayChange, role, project, locked });
  // Tests that were held for it come with it, and what they replace goes with it: they were judged on their own.
  const judged = new Set(tests.map(({ path }) => path));
  const theirs = changes.filter(({ path }) => !judged.has(path));
  const changed = await changedRules(repository, { changes: theirs, from: tip, to: commit, project, task });
  return { points: [...points, ...changed.points], notes: changed.notes };
}

async function heldChanges(repository: Judging["repository"], held: Judging["held"]): Promise<FileChange[]> {
  const changes: FileChange[] = [];
  for (const { baseOid, candidateOid } of held)
    if (baseOid !== null && candidateOid !== null)
      changes.push(...(await repository.changes(baseOid, candidateOid)));
  return changes;
}

/** What the set-up says of a changed lock file is what a check would say. */
async function checks(judging: Judging, candidate: OnTip): Promise<Checked> {
  try {
    return await checkCandidate(judging, candidate);
  } catch (error) {
    const text = setUpFault(error);
    if (text === undefined) throw error;
    const points: ReworkPoint[] = [{ by: "verify", file: null, line: null, text }];
    return { rounds: [], redBefore: [], notes: setUpNotes(judging), points, trouble: null };
  }
}

const tooLarge: ReworkPoint = {
  by: "rules",
  file: null,
  line: null,
  text: "The change is too large to be judged. Make it smaller: leave out what is generated, and do no more than was asked.",
};

function conflictPoints(conflicts: readonly string[]): ReworkPoint[] {
  const text =
    "The branch has moved on, and your change does not go together with what came to it. Keep both.";
  const files = conflicts.map((file): ReworkPoint => ({ by: "conflict", file, line: null, text }));
  return files.length > 0 ? files : [{ by: "conflict", file: null, line: null, text }];
}
