import { Sandboxd, type SandboxdStatus } from "@opentiger/sandboxd";
import { Command } from "commander";
import { loopExamples } from "../loop/place.ts";
import { age } from "../output/age.ts";
import { followLog } from "../output/follow-log.ts";
import { renderTable } from "../output/table.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { printJson, quiet, type VerbOptions, verb } from "../program/verb.ts";

export function sandboxdCommand(surroundings: Surroundings): Command {
  return quiet(new Command("sandboxd"), surroundings)
    .description("the daemon through which sandboxes reach the network")
    .enablePositionalOptions()
    .usage("COMMAND")
    .addCommand(statusCommand(surroundings))
    .addCommand(logsCommand(surroundings))
    .addCommand(stopCommand(surroundings));
}

function statusCommand(surroundings: Surroundings): Command {
  return verb("status", surroundings)
    .description("whether it runs, and for which sandboxes")
    .addHelpText("after", loopExamples("sandboxd status", "sandboxd status --json"))
    .action(async (options: VerbOptions) => {
      const status = await new Sandboxd(surroundings.env).status();
      if (options.json) return printJson(surroundings, { running: status !== undefined, ...status });
      if (!status) {
        return void surroundings.stdout.write(
          "sandboxd does not run: it is started by whoever needs it. Sandboxes have no network until then.\n",
        );
      }
      surroundings.stdout.write(render(status, surroundings));
    });
}

function logsCommand(surroundings: Surroundings): Command {
  return verb("logs", surroundings)
    .description("what it has written")
    .option("-f, --follow", "go on until Ctrl-C")
    .addHelpText("after", loopExamples("sandboxd logs", "sandboxd logs -f"))
    .action(({ follow, json }: VerbOptions & { follow?: true }) =>
      followLog(new Sandboxd(surroundings.env).paths.log, surroundings.stdout, { follow, json }),
    );
}

function stopCommand(surroundings: Surroundings): Command {
  return verb("stop", surroundings)
    .description("end it; sandboxes have no network until it is started again")
    .addHelpText("after", loopExamples("sandboxd stop"))
    .action(async (options: VerbOptions) => {
      const stopped = await new Sandboxd(surroundings.env).stop();
      if (options.json) return printJson(surroundings, { stopped });
      surroundings.stdout.write(stopped ? "sandboxd has ended\n" : "sandboxd did not run\n");
    });
}

function render(status: SandboxdStatus, surroundings: Surroundings): string {
  const since = age(new Date(status.startedAt), surroundings.now());
  const head = `sandboxd ${status.version} has run for ${since}, as process ${status.pid}\n`;
  if (status.sandboxes.length === 0) return head;
  const rows = status.sandboxes.map(({ name, policy, connections, ports, trouble }) => [
    name,
    policy,
    String(connections),
    ports.map(({ inside, published }) => `${published}->${inside}`).join(" "),
    trouble ?? "",
  ]);
  return `${head}\n${renderTable([["SANDBOX", "POLICY", "CONNECTIONS", "PORTS", "TROUBLE"], ...rows])}`;
}
