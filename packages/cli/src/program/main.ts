import { type Command, CommanderError } from "commander";
import { complete } from "../completion/candidates.ts";
import { completeWord, renderCompletion } from "../completion/protocol.ts";
import { parseExec } from "../exec/options.ts";
import { reportError } from "../output/error-report.ts";
import type { Surroundings } from "./surroundings.ts";

export interface Program {
  root: Command;
  /** The words after the program's own name. */
  words: readonly string[];
  surroundings: Surroundings;
  sandboxNames: () => string[];
}

/** Runs one command line. Whatever is thrown ends as one printed error and one status. */
export async function runProgram({ root, words, surroundings, sandboxNames }: Program): Promise<void> {
  try {
    if (words[0] === completeWord) {
      return void surroundings.stdout.write(renderCompletion(complete(root, words.slice(1), sandboxNames)));
    }
    await root.parseAsync([...words], { from: "user" });
  } catch (error) {
    if (isHelp(error)) return helpShown(error, root, words, surroundings);
    const { stderr, env, program } = surroundings;
    const format = wantsJson(words) ? "json" : "text";
    surroundings.exitWith(reportError(error, { stderr, env, program, format }));
  }
}

function isHelp(error: unknown): error is CommanderError {
  return (
    error instanceof CommanderError &&
    ["commander.help", "commander.helpDisplayed", "commander.version"].includes(error.code)
  );
}

/** `--help` was answered on stdout. A command that lacks its verb is answered on stderr, and is an error. */
function helpShown(
  error: CommanderError,
  root: Command,
  words: readonly string[],
  surroundings: Surroundings,
): void {
  if (error.exitCode === 0) return;
  const group = words.reduce(
    (command, word) => command.commands.find((each) => each.name() === word) ?? command,
    root,
  );
  surroundings.stderr.write(group.helpInformation());
  surroundings.exitWith(64);
}

/**
 * Whether errors are wanted as JSON: read from the words, since it may be them that were not understood. What
 * stands behind `--`, or is the command of an exec, is not ours to read.
 */
export function wantsJson(words: readonly string[]): boolean {
  const verb = words[0] === "sandbox" ? 1 : 0;
  if (words[verb] === "exec") return execWantsJson(words.slice(verb + 1));
  const dashes = words.indexOf("--");
  return words.slice(0, dashes < 0 ? undefined : dashes).includes("--json");
}

function execWantsJson(words: readonly string[]): boolean {
  try {
    return parseExec(words).flags.has("json");
  } catch {
    return words.includes("--json");
  }
}
