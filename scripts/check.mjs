#!/usr/bin/env node
import { runCheckSteps } from "./check/steps.mjs";
import { ensureDependencies } from "./setup/dependencies.mjs";
import { seconds } from "./setup/step.mjs";

await ensureDependencies();
const results = await runCheckSteps({
  fix: process.argv.includes("--fix"),
  onResult: ({ name, passed, milliseconds, output }) => {
    console.log(`${passed ? "✓" : "✗"} ${name} ${seconds(milliseconds)}`);
    if (!passed) console.log(output.replace(/^/gm, "    "));
  },
});
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1;
