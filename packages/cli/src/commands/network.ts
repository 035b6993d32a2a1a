import { DockerBackend, SandboxError, weakNetwork } from "@opentiger/sandbox";
import { applyChange, type NetworkChangeRequest, Sandboxd } from "@opentiger/sandboxd";
import { type NetworkSettings, networkPolicies, networkSettings } from "@opentiger/schema";
import { Command, Option } from "commander";
import { renderNetwork } from "../output/network-settings.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { backendOf, examples, printJson, quiet, type VerbOptions, verb } from "../program/verb.ts";
import { networkLearnCommand } from "./network-learn.ts";
import { networkLogCommand } from "./network-log.ts";

export function networkCommand(surroundings: Surroundings): Command {
  return quiet(new Command("network"), surroundings)
    .description("what sandboxes may reach, and what they tried")
    .enablePositionalOptions()
    .usage("COMMAND")
    .addCommand(proxyCommand(surroundings))
    .addCommand(networkLogCommand(surroundings))
    .addCommand(networkLearnCommand(surroundings));
}

type ProxyOptions = VerbOptions & NetworkChangeRequest;

function proxyCommand(surroundings: Surroundings): Command {
  const command = verb("proxy", surroundings)
    .description("show or change the rules of a sandbox; a change acts at once and stays")
    .argument("<sandbox>", "name")
    .addOption(new Option("--policy <policy>", "for hosts no rule names").choices([...networkPolicies]))
    .addHelpText(
      "after",
      examples(
        surroundings,
        "network proxy my-sandbox",
        "network proxy my-sandbox --policy deny",
        "network proxy my-sandbox --allow-host api.anthropic.com --allow-host '*.example.com:443'",
        "network proxy my-sandbox --allow-host localhost:5432",
      ),
    )
    .action(async (name: string, options: ProxyOptions) => {
      const { json, context: _, ...change } = options;
      const path = `/sandboxes/${encodeURIComponent(name)}/network`;
      const sandboxd = new Sandboxd(surroundings.env);
      let settings = await sandboxd.ask({ method: "GET", path }, networkSettings);
      if (crossesOpen(settings, change)) {
        settings = await makeAgain(name, applyChange(settings, change), surroundings, options);
      } else if (Object.keys(change).length > 0) {
        settings = await sandboxd.ask({ method: "POST", path, body: change }, networkSettings);
      }
      const weakness = weakNetwork(settings) ?? null;
      if (json) return printJson(surroundings, { ...settings, weakness });
      if (weakness) surroundings.stderr.write(`note: ${weakness}\n`);
      surroundings.stdout.write(renderNetwork(name, settings, surroundings));
    });
  for (const [flags, description] of ruleFlags) command.option(flags, description, gather);
  return command;
}

const ruleFlags = [
  ["--allow-host <host>", "allow example.com, example.com:443, *.example.com or localhost:PORT"],
  ["--block-host <host>", "block it"],
  ["--bypass-host <host>", "allow an opaque tunnel there, even if a credential for it is brokered"],
  ["--allow-cidr <range>", "allow addresses, for example 10.1.0.0/16"],
  ["--block-cidr <range>", "block them"],
  ["--bypass-cidr <range>", "allow opaque tunnels there"],
] as const;

function gather(word: string, words: string[] = []): string[] {
  return [...words, word];
}

/** With the policy open a container has an interface; with every other it has none. */
function crossesOpen(settings: NetworkSettings, { policy }: NetworkChangeRequest): boolean {
  return policy !== undefined && (policy === "open") !== (settings.policy === "open");
}

/** What runs in it ends; its files stay. */
async function makeAgain(
  name: string,
  settings: NetworkSettings,
  surroundings: Surroundings,
  options: VerbOptions,
): Promise<NetworkSettings> {
  const backend = await backendOf(surroundings, options);
  if (!(backend instanceof DockerBackend)) {
    throw new SandboxError("unsupported", "host mode has no network policy: commands run on the host itself");
  }
  await backend.setNetwork(name, settings);
  surroundings.stderr.write(
    `note: ${name} was made again for the policy ${settings.policy}; its files are kept\n`,
  );
  return settings;
}
