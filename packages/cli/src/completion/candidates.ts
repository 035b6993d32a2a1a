import { agentNames, configKeyNames } from "@opentiger/schema";
import type { Argument, Command, Option } from "commander";

export interface Candidate {
  value: string;
  description: string;
}

export interface Completion {
  candidates: Candidate[];
  /** Whether the shell should offer files as well. */
  files: boolean;
}

/**
 * What may come next on a command line, read from the command tree itself, so that help, parser and completion
 * cannot disagree. The last word is the one being typed; it may be empty.
 */
export function complete(root: Command, words: readonly string[], sandboxNames: () => string[]): Completion {
  const typed = words.at(-1) ?? "";
  const { command, positionals, pending } = walk(root, words.slice(0, -1));
  const found = pending ? optionValues(pending) : nextWords();
  return { ...found, candidates: found.candidates.filter(({ value }) => value.startsWith(typed)) };

  function nextWords(): Completion {
    if (typed.startsWith("-") && positionals !== "over") return noFiles(optionsOf(command));
    if (command.commands.length > 0) return noFiles(subcommandsOf(command));
    if (positionals === "over") return { candidates: [], files: true };
    return argumentValues(argumentAt(command, positionals), command, sandboxNames);
  }
}

interface Position {
  command: Command;
  /** How many arguments were given, or `over` when the words belong to somebody else. */
  positionals: number | "over";
  /** The option whose value is being typed. */
  pending: Option | undefined;
}

function walk(root: Command, words: readonly string[]): Position {
  let position: Position = { command: root, positionals: 0, pending: undefined };
  for (const word of words) position = step(position, word);
  return position;
}

function step({ command, positionals, pending }: Position, word: string): Position {
  if (pending) return { command, positionals, pending: undefined };
  if (positionals === "over" || word === "--") return { command, positionals: "over", pending };
  if (word.startsWith("-")) return { command, positionals, pending: takesValue(command, word) };
  const child = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
  if (child) return { command: child, positionals: 0, pending };
  // Behind the sandbox's name, the words of exec are the command's.
  return { command, positionals: command.name() === "exec" ? "over" : positionals + 1, pending };
}

function takesValue(command: Command, word: string): Option | undefined {
  const option = command.options.find(({ long, short }) => long === word || short === word);
  return option?.required ? option : undefined;
}

function optionValues(option: Option): Completion {
  if (!option.argChoices) return { candidates: [], files: true };
  return noFiles(option.argChoices.map((value) => ({ value, description: "" })));
}

function optionsOf(command: Command): Candidate[] {
  return command.options
    .filter(({ hidden }) => !hidden)
    .flatMap(({ long, description }) => (long ? [{ value: long, description }] : []));
}

function subcommandsOf(command: Command): Candidate[] {
  const visible = command.createHelp().visibleCommands(command);
  return visible.map((each) => ({ value: each.name(), description: each.description() }));
}

function argumentAt(command: Command, index: number): Argument | undefined {
  const last = command.registeredArguments.at(-1);
  return command.registeredArguments[index] ?? (last?.variadic ? last : undefined);
}

function argumentValues(
  argument: Argument | undefined,
  command: Command,
  sandboxNames: () => string[],
): Completion {
  const name = command.name() === "exec" ? "sandbox" : argument?.name();
  const sandboxes = () => sandboxNames().map((value) => ({ value, description: "sandbox" }));
  const agents = agentNames.map((value) => ({ value, description: "agent" }));
  if (argument?.argChoices) return noFiles(argument.argChoices.map((value) => ({ value, description: "" })));
  if (name === "sandbox") return noFiles(sandboxes());
  if (name === "agent") return noFiles(agents);
  if (name === "setting") return noFiles(configKeyNames.map((value) => ({ value, description: "setting" })));
  if (name === "sandbox-or-agent") return noFiles([...agents, ...sandboxes()]);
  return { candidates: [], files: argument !== undefined };
}

function noFiles(candidates: Candidate[]): Completion {
  return { candidates, files: false };
}
