import type { Command } from "commander";
import { attachCommand } from "../commands/attach.ts";
import { authCommand } from "../commands/auth.ts";
import { cpCommand } from "../commands/cp.ts";
import { createCommand } from "../commands/create.ts";
import { execCommand } from "../commands/exec.ts";
import { fetchCommand } from "../commands/fetch.ts";
import { inspectCommand } from "../commands/inspect.ts";
import { installPluginCommand } from "../commands/install-plugin.ts";
import { lsCommand } from "../commands/ls.ts";
import { networkCommand } from "../commands/network.ts";
import { poolCommand } from "../commands/pool.ts";
import { portCommand } from "../commands/port.ts";
import { pruneCommand } from "../commands/prune.ts";
import { resetCommand } from "../commands/reset.ts";
import { resumeCommand } from "../commands/resume.ts";
import { rmCommand } from "../commands/rm.ts";
import { runCommand } from "../commands/run.ts";
import { saveCommand } from "../commands/save.ts";
import { stopCommand } from "../commands/stop.ts";
import { uninstallPluginCommand } from "../commands/uninstall-plugin.ts";
import { budgetCommand, usageCommand } from "../commands/usage.ts";
import { versionCommand } from "../commands/version.ts";
import type { Surroundings } from "./surroundings.ts";
import { quiet } from "./verb.ts";

const verbs = [
  createCommand,
  runCommand,
  execCommand,
  attachCommand,
  cpCommand,
  lsCommand,
  inspectCommand,
  stopCommand,
  resumeCommand,
  rmCommand,
  saveCommand,
  fetchCommand,
  networkCommand,
  portCommand,
  authCommand,
  usageCommand,
  budgetCommand,
  poolCommand,
  pruneCommand,
  resetCommand,
  installPluginCommand,
  uninstallPluginCommand,
  versionCommand,
];

/** Everything behind `docker sandbox` and `opentiger sandbox`: one definition for both. */
export function withSandboxVerbs(command: Command, surroundings: Surroundings): Command {
  quiet(command, surroundings)
    .description("Sandboxes for coding agents, on any Docker Engine")
    .enablePositionalOptions()
    .usage("COMMAND")
    .addHelpText(
      "after",
      `\nExamples:
  ${surroundings.invocation} create --name my-sandbox claude .
  ${surroundings.invocation} exec my-sandbox claude -p "fix the failing test"
  ${surroundings.invocation} ls
  ${surroundings.invocation} rm my-sandbox`,
    );
  for (const make of verbs) command.addCommand(make(surroundings));
  return command;
}
