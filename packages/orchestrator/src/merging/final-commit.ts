import { gitAuthor } from "../git/author.ts";
import { commitMessage } from "../git/commit-message.ts";
import type { Place } from "../place.ts";
import type { JudgedTask } from "./judged-task.ts";

/**
 * The commit that a candidate becomes on the branch: the user's, with trailers for its tasks and its run, and with the date
 * of that run. The same candidate on the same tip is the same commit, whoever writes it and however often.
 */
export async function finalCommit(
  place: Place,
  { repository, loop, task, tip, run, held }: JudgedTask,
  tree: string,
): Promise<string> {
  const tasks = [task.number, ...held.map(({ number }) => number)];
  return repository.commit({
    tree,
    parents: [tip],
    message: commitMessage({ title: task.title, loop: loop.id, tasks, run: run.id }),
    author: await gitAuthor(place, place.config, repository.userPath),
    date: run.startedAt,
  });
}
