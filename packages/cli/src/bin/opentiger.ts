import { ownNames } from "@opentiger/sandbox/exec-client";
import { runProgram } from "../program/main.ts";
import { opentigerProgram } from "../program/opentiger.ts";
import { endProcess, processSurroundings } from "../program/process-surroundings.ts";

const words = process.argv.slice(2);
const surroundings = processSurroundings({
  invocation: "opentiger sandbox",
  words,
  env: process.env,
  context: undefined,
});
await runProgram({
  root: opentigerProgram(surroundings),
  words,
  surroundings,
  sandboxNames: () => ownNames(process.env),
});
await endProcess();
