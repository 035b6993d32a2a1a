#!/usr/bin/env node
import { runProgram } from "./setup/program.mjs";

await runProgram("scripts/screenshots/screenshots.ts", { browser: true, agent: "claude" });
