import { DispatcherClient } from "@opentiger/orchestrator";
import { Command } from "commander";
import { type LoopVerbOptions, loopExamples, loopVerb } from "../loop/place.ts";
import { age } from "../output/age.ts";
import { followLog } from "../output/follow-log.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { printJson, quiet } from "../program/verb.ts";

export function dispatcherCommand(surroundings: Surroundings): Command {
  return quiet(new Command("dispatcher"), surroundings)
    .description("the process that works off loops")
    .enablePositionalOptions()
    .usage("COMMAND")
    .addCommand(statusCommand(surroundings))
    .addCommand(logsCommand(surroundings))
    .addCommand(stopCommand(surroundings));
}

function statusCommand(surroundings: Surroundings): Command {
  return loopVerb("status", surroundings)
    .description("whether it runs, and on how much it works")
    .addHelpText("after", loopExamples("dispatcher status", "dispatcher status --json"))
    .action(async (options: LoopVerbOptions) => {
      const status = await new DispatcherClient(surroundings.env).status();
      if (options.json) return printJson(surroundings, { running: status !== undefined, ...status });
      const text = status
        ? `the dispatcher ${status.version} has run for ${age(new Date(status.startedAt), surroundings.now())}, as process ${status.pid}, and works on ${status.working} stages\n`
        : "the dispatcher does not run: it is started by whoever needs it, and ends when there is nothing to do\n";
      surroundings.stdout.write(text);
    });
}

function logsCommand(surroundings: Surroundings): Command {
  return loopVerb("logs", surroundings)
    .description("what it has written")
    .option("-f, --follow", "go on until Ctrl-C")
    .addHelpText("after", loopExamples("dispatcher logs", "dispatcher logs -f"))
    .action(({ follow, json }: LoopVerbOptions & { follow?: true }) =>
      followLog(new DispatcherClient(surroundings.env).paths.log, surroundings.stdout, { follow, json }),
    );
}

function stopCommand(surroundings: Surroundings): Command {
  return loopVerb("stop", surroundings)
    .description("end it; agents go on, and the next one adopts them")
    .option("--drain", "begin nothing more, and wait until what it works on is done")
    .addHelpText("after", loopExamples("dispatcher stop", "dispatcher stop --drain"))
    .action(async ({ json, drain = false }: LoopVerbOptions & { drain?: boolean }) => {
      const stopped = await new DispatcherClient(surroundings.env).stop({ drain });
      if (json) return printJson(surroundings, { stopped });
      surroundings.stdout.write(stopped ? "the dispatcher has ended\n" : "the dispatcher did not run\n");
    });
}
