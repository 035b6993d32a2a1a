import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./tests/setup/longest-first.ts";

/** Vitest leaves one core to itself, which on two is half of them; what it does meanwhile is wait. */
const cores = availableParallelism();

/**
 * Only to end a test that hangs; how fast anything is, tests say themselves. It is long because three real CLIs at once
 * on two busy cores have taken two minutes for the work of seconds.
 */
const testTimeout = 300_000;

/** The same for unit tests: while an image is built beside them, git takes half a minute for the work of seconds. */
const unitTimeout = 120_000;

/** Each file finds the modules that others have loaded, so what a test changes in its process it changes back. */
const isolate = false;

/** One PostgreSQL for all, with a database for each file that needs one. */
const globalSetup = "packages/orchestrator/src/fixture/temporary-postgres.ts";

/** Files of tests that mostly wait, for git, an engine or a CLI: two more than cores keep those busy. */
const several = Math.min(cores, 4) + 2;

/**
 * Suites that share one Docker engine. Each file has an instance of its own, so several at a time are no trouble to each
 * other; those that start and stop engines beside it run one by one, and a browser wants a core for itself.
 */
const withEngine = (name: string, filesAtOnce: number) => ({
  test: {
    name,
    include: [`tests/${name}/**/*.test.ts`],
    setupFiles: "tests/setup/each-file.ts",
    globalSetup,
    isolate,
    maxWorkers: filesAtOnce,
    testTimeout,
    hookTimeout: 300_000,
  },
});

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // Each suite is a process of its own, and most of them load the same modules: one has compiled them for the others.
    experimental: { fsModuleCache: true, fsModuleCachePath: ".cache/vitest-modules" },
    projects: [
      {
        test: {
          name: "unit",
          maxWorkers: Math.max(cores, several),
          include: [
            "packages/**/src/**/*.test.ts",
            "bench/**/*.test.ts",
            "scripts/**/*.test.ts",
            "tests/setup/**/*.test.ts",
          ],
          setupFiles: "tests/setup/each-file.ts",
          isolate,
          // So that a variable or a mock that a test forgot to put back does not change the files after it.
          unstubEnvs: true,
          restoreMocks: true,
          globalSetup,
          testTimeout: unitTimeout,
          hookTimeout: unitTimeout,
        },
      },
      withEngine("engine", 1),
      withEngine("e2e", several),
      withEngine("security", several),
      withEngine("crash", several),
      withEngine("browser", Math.min(cores, 2)),
    ],
  },
});
