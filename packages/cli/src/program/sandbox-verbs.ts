import type { Command } from "commander";
import { addCommands, type Commands } from "./loading.ts";
import type { Surroundings } from "./surroundings.ts";
import { quiet } from "./verb.ts";

const verbs: Commands = {
  create: async () => (await import("../commands/create.ts")).createCommand,
  run: async () => (await import("../commands/run.ts")).runCommand,
  exec: async () => (await import("../commands/exec.ts")).execCommand,
  attach: async () => (await import("../commands/attach.ts")).attachCommand,
  cp: async () => (await import("../commands/cp.ts")).cpCommand,
  ls: async () => (await import("../commands/ls.ts")).lsCommand,
  inspect: async () => (await import("../commands/inspect.ts")).inspectCommand,
  stop: async () => (await import("../commands/stop.ts")).stopCommand,
  resume: async () => (await import("../commands/resume.ts")).resumeCommand,
  rm: async () => (await import("../commands/rm.ts")).rmCommand,
  save: async () => (await import("../commands/save.ts")).saveCommand,
  fetch: async () => (await import("../commands/fetch.ts")).fetchCommand,
  network: async () => (await import("../commands/network.ts")).networkCommand,
  port: async () => (await import("../commands/port.ts")).portCommand,
  auth: async () => (await import("../commands/auth.ts")).authCommand,
  usage: async () => (await import("../commands/usage.ts")).usageCommand,
  budget: async () => (await import("../commands/usage.ts")).budgetCommand,
  pool: async () => (await import("../commands/pool.ts")).poolCommand,
  prune: async () => (await import("../commands/prune.ts")).pruneCommand,
  reset: async () => (await import("../commands/reset.ts")).resetCommand,
  "install-plugin": async () => (await import("../commands/install-plugin.ts")).installPluginCommand,
  "uninstall-plugin": async () => (await import("../commands/uninstall-plugin.ts")).uninstallPluginCommand,
  version: async () => (await import("../commands/version.ts")).versionCommand,
};

/** Everything behind `docker sandbox` and `opentiger sandbox`: one definition for both. */
export function withSandboxVerbs(
  command: Command,
  surroundings: Surroundings,
  verb?: string,
): Promise<Command> {
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
  return addCommands(command, verbs, surroundings, verb);
}
