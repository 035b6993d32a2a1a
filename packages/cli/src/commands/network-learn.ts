import { learnedRules, Sandboxd } from "@opentiger/sandboxd";
import type { Command } from "commander";
import type { Surroundings } from "../program/surroundings.ts";
import { examples, printJson, type VerbOptions, verb } from "../program/verb.ts";
import { parseSince } from "./since.ts";

interface LearnOptions extends VerbOptions {
  since?: string;
}

export function networkLearnCommand(surroundings: Surroundings): Command {
  return verb("learn", surroundings)
    .description("the smallest allow-list that a sandbox's work so far needed, as the command that sets it")
    .argument("<sandbox>", "one that ran under --policy allow")
    .option("--since <time>", "only what was reached since: 30m, 2h, 1d or 2026-01-31T09:00:00Z", (text) =>
      parseSince(text, surroundings.now()),
    )
    .addHelpText(
      "after",
      examples(surroundings, "network learn my-sandbox", "network learn my-sandbox --since 30m"),
    )
    .action(async (name: string, options: LearnOptions) => {
      const query = options.since === undefined ? "" : `?since=${options.since}`;
      const path = `/sandboxes/${encodeURIComponent(name)}/learned${query}`;
      const list = await new Sandboxd(surroundings.env).ask({ method: "GET", path }, learnedRules);
      if (options.json) return printJson(surroundings, list);
      if (!list.complete) surroundings.stderr.write("note: more hosts were reached than the log remembers\n");
      const flags = list.allowHosts.map((host) => ` \\\n  --allow-host '${host}'`).join("");
      surroundings.stdout.write(
        `${surroundings.invocation} network proxy ${name} --policy ${list.policy}${flags}\n`,
      );
    });
}
