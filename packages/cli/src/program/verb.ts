import { Command } from "commander";
import { reportError } from "../output/error-report.ts";
import type { Surroundings } from "./surroundings.ts";

/** What every verb understands. */
export interface VerbOptions {
  json?: true;
  context?: string;
}

/** A command with what all of them share: `--json`, `--context`, errors that are thrown and not printed. */
export function verb(
  name: string,
  surroundings: Surroundings,
  make = (n: string) => new Command(n),
): Command {
  return quiet(make(name), surroundings)
    .option("--json", "results and errors as JSON")
    .option("-c, --context <name>", "docker context to use");
}

/** Commander neither prints errors nor ends the process: the one place for both is the program's end. */
export function quiet(command: Command, { stdout }: Surroundings): Command {
  return command
    .exitOverride()
    .showSuggestionAfterError(true)
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: () => {},
      outputError: () => {},
    });
}

/** Lines of the help that can be pasted. */
export function examples({ invocation }: Surroundings, ...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${invocation} ${line}`).join("\n")}`;
}

/** The context that was named is the user's in everything that follows. */
export function inContext({ env, context }: Surroundings, options: VerbOptions): NodeJS.ProcessEnv {
  const named = options.context ?? context;
  return named === undefined ? env : { ...env, DOCKER_CONTEXT: named, DOCKER_HOST: undefined };
}

export function backendOf(surroundings: Surroundings, options: VerbOptions) {
  return surroundings.connect(options.context ?? surroundings.context);
}

/**
 * Does one thing for each name. One that fails is reported and the rest go on; the process ends with the worst
 * status. Returns the names for which it worked.
 */
export async function forEachName(
  names: readonly string[],
  surroundings: Surroundings,
  options: VerbOptions,
  act: (name: string) => Promise<void>,
): Promise<string[]> {
  const done: string[] = [];
  for (const name of new Set(names)) {
    try {
      await act(name);
      done.push(name);
      if (!options.json) surroundings.stdout.write(`${name}\n`);
    } catch (error) {
      surroundings.exitWith(reportError(error, audienceOf(surroundings, options), { name }));
    }
  }
  return done;
}

export function audienceOf({ stderr, env, program }: Surroundings, options: VerbOptions) {
  return { stderr, env, program, format: options.json ? ("json" as const) : ("text" as const) };
}

export function printJson({ stdout }: Surroundings, value: unknown): void {
  stdout.write(`${JSON.stringify(value, null, stdout.isTTY ? 2 : 0)}\n`);
}
