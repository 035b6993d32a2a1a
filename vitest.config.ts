import { defineConfig } from "vitest/config";

/** Suites that share one Docker engine run one file after the other: they measure and kill things. */
const withEngine = (name: string) => ({
  test: {
    name,
    include: [`tests/${name}/**/*.test.ts`],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 300_000,
  },
});

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["packages/**/src/**/*.test.ts", "bench/**/*.test.ts", "scripts/**/*.test.ts"],
          testTimeout: 20_000,
          hookTimeout: 20_000,
        },
      },
      withEngine("engine"),
      withEngine("e2e"),
      withEngine("security"),
      withEngine("crash"),
    ],
  },
});
