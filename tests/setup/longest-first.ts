import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Files that take about a minute or more, or of the unit tests half of one, the longest of each suite first. On a checkout that has never been tested vitest goes
 * by the size of files, and the suite then waits for one that it happened to begin last.
 */
export const longest = [
  "packages/orchestrator/src/process/dispatcher-program.test.ts",
  "packages/orchestrator/src/git/killed-git.test.ts",
  "packages/agents/src/run/adopt-agent.test.ts",
  "packages/orchestrator/src/git/projection.test.ts",
  "packages/orchestrator/src/git/changes.test.ts",
  "packages/secrets/src/processes.test.ts",
  "tests/e2e/up.test.ts",
  "tests/e2e/demo.test.ts",
  "tests/e2e/judging/candidates.test.ts",
  "tests/e2e/backup.test.ts",
  "tests/e2e/project-kinds.test.ts",
  "tests/e2e/loop-cli/run.test.ts",
  "tests/e2e/agents/troubles.test.ts",
  "tests/e2e/credential-ways.test.ts",
  "tests/e2e/running/failures.test.ts",
  "tests/e2e/bad-input-cli.test.ts",
  "tests/security/judge-gaming.test.ts",
  "tests/security/broker.test.ts",
  "tests/security/hostile-loop.test.ts",
  "tests/security/hostile-repository.test.ts",
  "tests/security/loop-git.test.ts",
  "tests/security/loop-git-commits.test.ts",
  "tests/crash/loops-killed.test.ts",
  "tests/crash/host-loops-killed.test.ts",
  "tests/crash/engine-restart-loops.test.ts",
  "tests/crash/agent-resume.test.ts",
  "tests/crash/two-dispatchers.test.ts",
  "tests/browser/loops.test.ts",
  "tests/browser/pages.test.ts",
];

/** Begins with the longest, so that at the end there is something for every worker. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = longest.findIndex((file) => moduleId.endsWith(`/${file}`));
      return found === -1 ? longest.length : found;
    };
    return sorted.toSorted((left, right) => rank(left) - rank(right));
  }
}
