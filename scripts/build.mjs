#!/usr/bin/env node
import { relative } from "node:path";
import { buildBundles } from "./build/bundles.mjs";
import { CHECKOUT } from "./setup/checkout.mjs";
import { ensureDependencies } from "./setup/dependencies.mjs";
import { step } from "./setup/step.mjs";

await ensureDependencies();
try {
  await step("build", async (say) => {
    for (const { file, bytes } of await buildBundles()) {
      say(`${relative(CHECKOUT, file)} ${(bytes / 1024).toFixed(0)} kB`);
    }
  });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
