#!/usr/bin/env node
import { runProgram, runProgramOnHost } from "./setup/program.mjs";

const DEMO = "scripts/demo/demo.ts";

if (process.argv.includes("--host")) await runProgramOnHost(DEMO);
else
  await runProgram(DEMO, {
    agent: "claude",
    withoutEngine: "npm run demo -- --host   runs the agents on this machine, without isolation",
  });
