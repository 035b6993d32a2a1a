import type { Sandbox } from "@opentiger/sandbox";
import { type CheckRound, checkRound, type ReworkPoint, type VerifyCommand } from "@opentiger/schema";
import { ensurePrepared, preparedKeyAt } from "../project/prepared.ts";
import { sandboxName } from "../project/sandbox-name.ts";
import { knownBaseline } from "../verifying/baseline.ts";
import { baselineApart } from "../verifying/baseline-apart.ts";
import { compareChecks } from "../verifying/compare.ts";
import { pointsOfChecks, testsFirst } from "../verifying/round-words.ts";
import { runChecks } from "../verifying/run-checks.ts";
import type { Committed } from "./harness-commit.ts";
import { workspaceOf } from "./inside.ts";
import type { StartPoint } from "./start-point.ts";
import type { Work } from "./work.ts";

/** What is run on the work: the project's commands, the task's, and those of the tests that were written for it. */
export function commandsOf({
  project,
  task,
  held,
}: Pick<Work, "project" | "task" | "held">): VerifyCommand[] {
  const all = [...project.verify, ...task.verify, ...held.flatMap(({ verify }) => verify)];
  return all.filter(({ command }, index) => all.findIndex((other) => other.command === command) === index);
}

/** Files whose tests may go: the task's own, and those that the tests which were written for it were to replace. */
export function replacedTests({ task, held }: Pick<Work, "task" | "held">): string[] {
  return [...task.mayChange, ...held.flatMap(({ mayChange }) => mayChange)];
}

export interface Checked {
  round: CheckRound;
  /** What the agent has to mend; empty where nothing speaks against the work. */
  points: ReworkPoint[];
}

/**
 * Runs the checks where the agent worked, so that it hears at once what is wrong. That they are green here proves
 * nothing: the judge runs them again, where no agent was.
 */
export async function checkWork(
  work: Work,
  sandbox: Sandbox,
  start: StartPoint,
  { commit }: Committed,
): Promise<Checked> {
  const { place, project, run, turn, redact, signal, journal } = work;
  const round = await journal.step("round", checkRound, async () => ({
    tree: "as_is" as const,
    commit,
    results: await runChecks(sandbox, {
      commands: commandsOf(work),
      cwd: workspaceOf(sandbox),
      env: project.env,
      timeoutMs: place.config.get("OPENTIGER_VERIFY_TIMEOUT"),
      id: turn === 0 ? `${run.id}-verify` : `${run.id}-verify-${turn + 1}`,
      redact,
      signal,
    }),
  }));
  if (round.results.length === 0) return { round, points: [] };
  const before = await baseline(work, start);
  const points = pointsAgainst(work, before, round);
  if (points.length === 0 || before.commit === begunOn(start) || project.verify.length === 0)
    return { round, points };
  // Tests may have gone since the loop began, or be red, by no fault of this task.
  return { round, points: pointsAgainst(work, await baselineFoundOut(work, start), round) };
}

function pointsAgainst(work: Work, before: CheckRound, round: CheckRound): ReworkPoint[] {
  if (work.testsFirst) return testsFirst(before, round).points;
  const { broken } = compareChecks({ before, after: round, mayChange: replacedTests(work) });
  return pointsOfChecks(broken, round.tree);
}

/** The branch as it was when the work began. It may have gone on since; of what came to it the work knows nothing yet. */
function begunOn({ tip, base }: StartPoint): string {
  return tip ?? base;
}

/** How the checks stood before: where the work began if somebody knows that, or where the loop did. Else it is found out. */
async function baseline(work: Work, start: StartPoint): Promise<CheckRound> {
  const { place, project, loopBase, journal } = work;
  if (project.verify.length === 0) return { tree: "base", commit: loopBase, results: [] };
  return journal.step("baseline", checkRound, async () => {
    for (const commit of [begunOn(start), loopBase]) {
      const about = aboutCommit(work, commit);
      const known = await knownBaseline(place, { ...about, key: await preparedKeyAt(place, about) });
      if (known) return known;
    }
    return baselineFoundOut(work, start);
  });
}

/** Where the work began, in a sandbox in which no agent was. */
async function baselineFoundOut(work: Work, start: StartPoint): Promise<CheckRound> {
  const { place, loop, task, journal } = work;
  return journal.step("baseline-found-out", checkRound, async () => {
    const about = aboutCommit(work, begunOn(start));
    const prepared = await ensurePrepared(place, about);
    const name = sandboxName({ loop: loop.id, kind: "baseline", task: task.number });
    return baselineApart(place, { ...about, prepared, name });
  });
}

function aboutCommit(work: Work, commit: string) {
  const { loop, repository, project, environment, choice, signal, redact, say } = work;
  const agent = choice.driver.template;
  return { loop, repository, project, environment, agent, signal, redact, say, commit };
}
