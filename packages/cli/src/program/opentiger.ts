import { opentigerVersion } from "@opentiger/schema/version";
import { Command } from "commander";
import { addCommands, type Commands } from "./loading.ts";
import { withSandboxVerbs } from "./sandbox-verbs.ts";
import type { Surroundings } from "./surroundings.ts";
import { quiet } from "./verb.ts";

/** Everything behind `opentiger`, or as much of it as the words need. */
export function opentigerProgram(
  surroundings: Surroundings,
  words: readonly string[] = [],
): Promise<Command> {
  const root = quiet(new Command("opentiger"), surroundings)
    .description("Coding agents in sandboxes that cannot hurt you")
    .version(`opentiger version ${opentigerVersion}`, "-V, --version", "show the version")
    .enablePositionalOptions()
    .usage("COMMAND");
  return addCommands(root, commands(words), surroundings, words[0]);
}

function commands([, verb]: readonly string[]): Commands {
  return {
    up: async () => (await import("../commands/up.ts")).upCommand,
    down: async () => (await import("../commands/down.ts")).downCommand,
    status: async () => (await import("../commands/status.ts")).statusCommand,
    init: async () => (await import("../commands/init.ts")).initCommand,
    run: async () => (await import("../commands/run-loop.ts")).runLoopCommand,
    loop: async () => (await import("../commands/loop.ts")).loopCommand,
    task: async () => (await import("../commands/task.ts")).taskCommand,
    sandbox: async () => (surroundings) => withSandboxVerbs(new Command("sandbox"), surroundings, verb),
    agents: async () => (await import("../commands/agents.ts")).agentsCommand,
    auth: async () => (await import("../commands/agent-auth.ts")).agentAuthCommand,
    secrets: async () => (await import("../secrets/secrets-command.ts")).secretsCommand,
    keys: async () => (await import("../commands/keys.ts")).keysCommand,
    config: async () => (await import("../commands/config.ts")).configCommand,
    doctor: async () => (await import("../commands/doctor.ts")).doctorCommand,
    backup: async () => (await import("../commands/backup.ts")).backupCommand,
    restore: async () => (await import("../commands/backup.ts")).restoreCommand,
    uninstall: async () => (await import("../commands/uninstall.ts")).uninstallCommand,
    dispatcher: async () => (await import("../commands/dispatcher.ts")).dispatcherCommand,
    sandboxd: async () => (await import("../commands/sandboxd.ts")).sandboxdCommand,
    image: async () => (await import("../commands/image.ts")).imageCommand,
    demo: async () => (await import("../commands/checkout-scripts.ts")).demoCommand,
    bench: async () => (await import("../commands/checkout-scripts.ts")).benchCommand,
    completion: async () => (await import("../commands/completion.ts")).completionCommand,
    version: async () => (await import("../commands/version.ts")).opentigerVersionCommand,
  };
}
