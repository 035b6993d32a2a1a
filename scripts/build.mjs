#!/usr/bin/env node
import { relative } from "node:path";
import { buildBundles } from "./build/bundles.mjs";
import { buildDashboard } from "./build/dashboard.mjs";
import { CHECKOUT } from "./setup/checkout.mjs";
import { ensureDependencies } from "./setup/dependencies.mjs";
import { step } from "./setup/step.mjs";

await ensureDependencies();
try {
  await step("build", async (say) => {
    const built = await Promise.all([buildBundles(), buildDashboard()]);
    for (const { file, bytes } of built.flat()) {
      say(`${relative(CHECKOUT, file)} ${(bytes / 1024).toFixed(0)} kB`);
    }
  });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
