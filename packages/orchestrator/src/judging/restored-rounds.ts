import type { VerifyCommand } from "@opentiger/schema";
import { pathMatcher } from "../git/path-matcher.ts";
import { commitOf } from "../merging/merged-candidate.ts";
import { commandsOf } from "../running/checks.ts";
import { firstFew } from "../wording.ts";
import { isNewTest, restoredPaths } from "./controls.ts";
import type { Judging } from "./judging.ts";
import type { OnTip } from "./on-tip.ts";
import type { RoundRequest } from "./rounds.ts";

type Restored = Pick<RoundRequest, "part" | "commit" | "commands" | "beside">;

/**
 * What is checked again with tests and build files as they were on the branch. The project's checks see none of the
 * candidate's: nor tests that it adds, which could switch others off. Tests that were held for it are run apart from both: on
 * the branch with nothing but them. The task's own commands mostly call just what it adds, so they see that, and nothing
 * else of it.
 */
export async function restoredRounds(
  judging: Judging,
  candidate: OnTip,
  notes: string[],
): Promise<Restored[]> {
  const { repository, project } = judging;
  const all = commandsOf(judging);
  const own = all.filter(({ command }) => !project.verify.some((check) => check.command === command));
  const whole = await restored(judging, candidate, () => false);
  if (whole.tree === candidate.tree) return [];
  notes.push(`checked again with these as they were before: ${firstFew(whole.paths, namedPaths).join(", ")}`);
  const isNew = isNewTest(project, candidate.changes);
  const withNewTests = await restored(judging, candidate, isNew);
  const on = async (part: RoundRequest["part"], tree: string) => ({
    part,
    commit: await commitOf(repository, tree, candidate.onto),
  });
  const wholeRound = async (commands: VerifyCommand[]): Promise<Restored> => {
    const { tree } = await withHeldTests(judging, candidate, () => false);
    const isOther = tree !== whole.tree && tree !== candidate.tree;
    const beside = isOther ? { beside: await on("held", tree) } : {};
    return { ...(await on("restored", whole.tree)), commands, ...beside };
  };
  if (own.length === 0 || withNewTests.tree === whole.tree) return [await wholeRound(all)];
  const rounds = project.verify.length === 0 ? [] : [await wholeRound(project.verify)];
  // As it is, they were green already.
  if (withNewTests.tree === candidate.tree) return rounds;
  return [...rounds, { ...(await on("own", withNewTests.tree)), commands: own }];
}

const namedPaths = 20;

/**
 * Of the tests that were held for the candidate, those come along that their own plan lists; what else they changed of
 * tests that were there before is as little in force as if the candidate had done it.
 */
async function restored(
  judging: Judging,
  candidate: OnTip,
  isKept: (path: string) => boolean,
): Promise<{ tree: string; paths: string[] }> {
  const { repository, project, task, held, tip } = judging;
  const isControl = restoredPaths(project, task);
  const isReplaced = pathMatcher(held.flatMap(({ mayChange }) => mayChange));
  const withHeld = await withHeldTests(judging, candidate, isKept);
  const asOnTip = await repository.restorePaths({
    tree: withHeld.tree,
    from: tip,
    isRestored: (path) => isControl(path) && !isKept(path) && !isReplaced(path),
  });
  return { tree: asOnTip.tree, paths: [...new Set([...withHeld.restored, ...asOnTip.restored])] };
}

/** With the tests that were held for the candidate, and whatever else their author did to tests, as they were held. */
function withHeldTests(
  { repository, project, task }: Judging,
  { tree, onto }: OnTip,
  isKept: (path: string) => boolean,
): Promise<{ tree: string; restored: string[] }> {
  const isControl = restoredPaths(project, task);
  return repository.restorePaths({
    tree,
    from: onto,
    isRestored: (path) => isControl(path) && !isKept(path),
  });
}
