import { Argument, Command } from "commander";
import { completionScript, type Shell, shells } from "../completion/scripts.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { quiet } from "../program/verb.ts";

export function completionCommand(surroundings: Surroundings): Command {
  return quiet(new Command("completion"), surroundings)
    .description("print a script that completes commands, options and sandbox names in your shell")
    .addArgument(new Argument("<shell>", "your shell").choices(shells))
    .addHelpText(
      "after",
      `
Examples:
  source <(opentiger completion bash)
  source <(opentiger completion zsh)
  opentiger completion fish | source

\`docker sandbox\` is completed by docker's own script: docker completion bash`,
    )
    .action((shell: Shell) => void surroundings.stdout.write(completionScript(shell)));
}
