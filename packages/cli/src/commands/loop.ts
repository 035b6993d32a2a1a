import { Command } from "commander";
import type { Surroundings } from "../program/surroundings.ts";
import { quiet } from "../program/verb.ts";
import { loopBranchCommands } from "./loop-branch.ts";
import { loopChangeCommands } from "./loop-change.ts";
import { loopViewCommands } from "./loop-view.ts";

/** Everything that can be done with a loop after it was started. */
export function loopCommand(surroundings: Surroundings): Command {
  const group = quiet(new Command("loop"), surroundings)
    .description("loops: requirements that are being worked off")
    .enablePositionalOptions()
    .usage("COMMAND");
  const commands = [
    ...loopViewCommands(surroundings),
    ...loopChangeCommands(surroundings),
    ...loopBranchCommands(surroundings),
  ];
  for (const command of commands) group.addCommand(command);
  return group;
}
