import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** Vitest leaves one core to itself, which on two is half of them; what it does meanwhile is wait. */
const maxWorkers = availableParallelism();

/** A net for what hangs, and no claim: three real CLIs at once on two busy cores have taken two minutes for seconds' work. */
const testTimeout = 300_000;

/** Likewise: an image may be built beside them, and then seconds' work of git takes half a minute. */
const unitTimeout = 120_000;

/** Each file finds the modules that others have loaded, so what a test changes in its process it changes back. */
const isolate = false;

/** One PostgreSQL for all, with a database for each file that needs one. */
const globalSetup = "packages/orchestrator/src/state/temporary-postgres.ts";

/**
 * Suites that share one Docker engine. Each file has an instance of its own, so several at a time are no trouble to each
 * other, and as one of them mostly waits there is one more than cores; those that start and stop engines beside it, or
 * drive a browser, run one by one.
 */
const withEngine = (name: string, files: "in parallel" | "one by one") => ({
  test: {
    name,
    include: [`tests/${name}/**/*.test.ts`],
    setupFiles: "tests/setup/each-file.ts",
    globalSetup,
    isolate,
    maxWorkers: files === "in parallel" ? Math.min(maxWorkers, 4) + 1 : 1,
    testTimeout,
    hookTimeout: 300_000,
  },
});

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          maxWorkers,
          include: [
            "packages/**/src/**/*.test.ts",
            "bench/**/*.test.ts",
            "scripts/**/*.test.ts",
            "tests/setup/**/*.test.ts",
          ],
          isolate,
          // A net.
          unstubEnvs: true,
          restoreMocks: true,
          globalSetup,
          testTimeout: unitTimeout,
          hookTimeout: unitTimeout,
        },
      },
      withEngine("engine", "one by one"),
      withEngine("e2e", "in parallel"),
      withEngine("security", "in parallel"),
      withEngine("crash", "in parallel"),
      withEngine("browser", "one by one"),
    ],
  },
});
