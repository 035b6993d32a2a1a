import type { Command } from "commander";
import type { Surroundings } from "./surroundings.ts";

type MakeCommand = (surroundings: Surroundings) => Command | Promise<Command>;

/** How each command is read, by its name and in the order of the help. */
export type Commands = Readonly<Record<string, () => Promise<MakeCommand>>>;

/**
 * Adds the command that was typed, and nothing else: to read what all of them need takes most of a start. For any
 * other word (an option, an alias, a mistake) all are added, so that help and suggestions know them.
 */
export async function addCommands(
  group: Command,
  commands: Commands,
  surroundings: Surroundings,
  word?: string,
): Promise<Command> {
  const typed = word !== undefined && Object.hasOwn(commands, word) ? commands[word] : undefined;
  for (const load of typed ? [typed] : Object.values(commands)) {
    const make = await load();
    group.addCommand(await make(surroundings));
  }
  return group;
}
