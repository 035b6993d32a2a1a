#!/usr/bin/env node
import { runProgram } from "./setup/program.mjs";

await runProgram("bench/run.ts", { browser: true });
