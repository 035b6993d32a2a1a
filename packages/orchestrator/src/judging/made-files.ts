import type { Sandbox } from "@opentiger/sandbox";
import { OrchestratorError } from "../errors.ts";
import { pathMatcher } from "../git/path-matcher.ts";
import { dependencyLists } from "../project/dependency-lists.ts";
import { madeBySetUp } from "../project/tidy-clone.ts";
import { firstFew } from "../wording.ts";
import type { Judging } from "./judging.ts";

/**
 * Throws `setup_failed` where a candidate brings what the project's set-up makes: its own would lie over that, be it the very
 * program that checks. What a .gitignore names is a matter of the rules; of the rest only a clone knows in which a set-up
 * was done. Lists of dependencies have rules of their own.
 */
export async function refuseMadeFiles(
  { repository, tip, task }: Pick<Judging, "repository" | "tip" | "task">,
  sandbox: Sandbox,
  commit: string,
): Promise<void> {
  const made = await madeBySetUp(sandbox, sandbox.workspaces[0]?.path ?? "/");
  if (made.length === 0) return;
  const isFree = pathMatcher([...task.mayChange, ...dependencyLists]);
  const added = (await repository.changes(tip, commit)).filter(({ status }) => status === "added");
  const found = added.map(({ path }) => path).filter((path) => !isFree(path) && isAmong(path, made));
  if (found.length === 0) return;
  throw new OrchestratorError(
    "setup_failed",
    `the project's set-up makes its own of these files, which are never committed; remove them: ${firstFew(found, namedPaths).join(", ")}`,
  );
}

/** As many as a person reads. */
const namedPaths = 10;

/** It is one of them, lies in one, or stands where the folder of one was. */
function isAmong(path: string, made: readonly string[]): boolean {
  return made.some(
    (each) => path === each || (each.endsWith("/") && path.startsWith(each)) || each.startsWith(`${path}/`),
  );
}
