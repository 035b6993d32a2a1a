import { opentigerVersion } from "@opentiger/schema";
import { Command } from "commander";
import { agentAuthCommand } from "../commands/agent-auth.ts";
import { agentsCommand } from "../commands/agents.ts";
import { backupCommand, restoreCommand } from "../commands/backup.ts";
import { completionCommand } from "../commands/completion.ts";
import { configCommand } from "../commands/config.ts";
import { dispatcherCommand } from "../commands/dispatcher.ts";
import { doctorCommand } from "../commands/doctor.ts";
import { downCommand } from "../commands/down.ts";
import { imageBuildCommand } from "../commands/image-build.ts";
import { initCommand } from "../commands/init.ts";
import { keysCommand } from "../commands/keys.ts";
import { loopCommand } from "../commands/loop.ts";
import { runLoopCommand } from "../commands/run-loop.ts";
import { sandboxdCommand } from "../commands/sandboxd.ts";
import { statusCommand } from "../commands/status.ts";
import { taskCommand } from "../commands/task.ts";
import { uninstallCommand } from "../commands/uninstall.ts";
import { upCommand } from "../commands/up.ts";
import { opentigerVersionCommand } from "../commands/version.ts";
import { secretsCommand } from "../secrets/secrets-command.ts";
import { withSandboxVerbs } from "./sandbox-verbs.ts";
import type { Surroundings } from "./surroundings.ts";
import { quiet } from "./verb.ts";

/** Everything behind `opentiger`. */
export function opentigerProgram(surroundings: Surroundings): Command {
  return quiet(new Command("opentiger"), surroundings)
    .description("Coding agents in sandboxes that cannot hurt you")
    .version(`opentiger version ${opentigerVersion}`, "-V, --version", "show the version")
    .enablePositionalOptions()
    .usage("COMMAND")
    .addCommand(upCommand(surroundings))
    .addCommand(downCommand(surroundings))
    .addCommand(statusCommand(surroundings))
    .addCommand(initCommand(surroundings))
    .addCommand(runLoopCommand(surroundings))
    .addCommand(loopCommand(surroundings))
    .addCommand(taskCommand(surroundings))
    .addCommand(withSandboxVerbs(new Command("sandbox"), surroundings))
    .addCommand(agentsCommand(surroundings))
    .addCommand(agentAuthCommand(surroundings))
    .addCommand(secretsCommand(surroundings))
    .addCommand(keysCommand(surroundings))
    .addCommand(configCommand(surroundings))
    .addCommand(doctorCommand(surroundings))
    .addCommand(backupCommand(surroundings))
    .addCommand(restoreCommand(surroundings))
    .addCommand(uninstallCommand(surroundings))
    .addCommand(dispatcherCommand(surroundings))
    .addCommand(sandboxdCommand(surroundings))
    .addCommand(imageCommand(surroundings))
    .addCommand(completionCommand(surroundings))
    .addCommand(opentigerVersionCommand(surroundings));
}

function imageCommand(surroundings: Surroundings): Command {
  return quiet(new Command("image"), surroundings)
    .description("The image that sandboxes start from")
    .enablePositionalOptions()
    .usage("COMMAND")
    .addCommand(imageBuildCommand(surroundings));
}
