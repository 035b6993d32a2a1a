import { ownNames } from "@opentiger/sandbox/exec-client";
import { runProgram } from "../program/main.ts";
import { endProcess, processSurroundings } from "../program/process-surroundings.ts";
import { secretsCommand } from "../secrets/secrets-command.ts";

const words = process.argv.slice(2);
// Takes the arguments, and a value among them, out of what `ps` shows from now on.
process.title = "secrets";
const surroundings = {
  ...processSurroundings({ invocation: "opentiger sandbox", words, env: process.env, context: undefined }),
  program: "secrets" as const,
};
await runProgram({
  root: secretsCommand(surroundings),
  words,
  surroundings,
  sandboxNames: () => ownNames(process.env),
});
await endProcess();
