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
  if (work.testsFirst) return { round, points: testsFirst(before, round).points };
  const { broken } = compareChecks({ before, after: round, mayChange: replacedTests(work) });
  return { round, points: pointsOfChecks(broken, round.tree) };
}

/**
 * How the checks stood before: on the branch that the work was begun on if somebody found that out, else where the loop
 * began. The branch may have gone on since; of what came to it the work knows nothing yet.
 */
async function baseline(work: Work, { tip, base }: StartPoint): Promise<CheckRound> {
  const { place, project, loopBase, journal } = work;
  if (project.verify.length === 0) return { tree: "base", commit: loopBase, results: [] };
  return journal.step("baseline", checkRound, async () => {
    for (const commit of [tip ?? base, loopBase]) {
      const about = { ...atLoopBase(work), commit };
      const known = await knownBaseline(place, { ...about, key: await preparedKeyAt(place, about) });
      if (known) return known;
    }
    return baselineAtBase(work);
  });
}

/**
 * In a sandbox of its own: the loop's stands at the same commit, but its planner was there, and set up it was with the
 * image of that time.
 */
async function baselineAtBase(work: Work): Promise<CheckRound> {
  const { place, loop, task } = work;
  const about = atLoopBase(work);
  const prepared = await ensurePrepared(place, about);
  const name = sandboxName({ loop: loop.id, kind: "baseline", task: task.number });
  return baselineApart(place, { ...about, prepared, name });
}

function atLoopBase(work: Work) {
  const { loop, repository, project, environment, choice, signal, loopBase: commit, redact, say } = work;
  return {
    loop,
    repository,
    project,
    environment,
    agent: choice.driver.template,
    signal,
    redact,
    say,
    commit,
  };
}
