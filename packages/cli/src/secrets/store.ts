import type { Command, CommanderError } from "commander";
import { UsageError } from "../errors.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { printJson } from "../program/verb.ts";
import { parseExpiryDate } from "./expiry-date.ts";
import { givenValue, type ValueOptions } from "./given-value.ts";
import type { ValuePaths } from "./input-output.ts";
import { inVault, secretsExamples, secretsVerb } from "./verb.ts";

interface StoreOptions extends ValueOptions {
  expires?: Date;
}

export function addCommand(surroundings: Surroundings, paths: ValuePaths): Command {
  return storing("add", surroundings, paths)
    .description("put a secret in; the value comes from stdin, or is asked for")
    .addHelpText(
      "after",
      secretsExamples(
        surroundings,
        "add claude_setup_token",
        "add codex_auth_json < ~/.codex/auth.json",
        "add deploy_key --expires 2027-01-31 < key.pem",
      ),
    );
}

export function updateCommand(surroundings: Surroundings, paths: ValuePaths): Command {
  return storing("update", surroundings, paths)
    .description("give a secret a new value; its leases go on with that")
    .addHelpText("after", secretsExamples(surroundings, "update claude_setup_token"));
}

function storing(action: "add" | "update", surroundings: Surroundings, paths: ValuePaths): Command {
  return secretsVerb(action, surroundings)
    .argument("<name>", "lowercase letters, digits and _ . -")
    .option("--value <value>", "the value itself; stdin is better: arguments can be seen by everybody")
    .option("--expires <date>", "when the value expires, as 2027-01-31", (text) =>
      parseExpiryDate(text, surroundings.now()),
    )
    .exitOverride(withoutValues)
    .action(async (name: string, options: StoreOptions) => {
      const stored = await inVault(surroundings, async (vault, { secretLimits }) => {
        const value = await givenValue(name, options, { surroundings, paths, limit: secretLimits.bytes });
        return vault[action](name, value, options.expires ? { expiresAt: options.expires } : {});
      });
      if (options.json) return printJson(surroundings, stored);
      surroundings.stdout.write(`${stored.name}\n`);
    });
}

/** A mistyped `--vaule=…` must not bring the value into an error message, and from there into a log. */
function withoutValues(error: CommanderError): never {
  if (error.code !== "commander.unknownOption") throw error;
  const [, flag = ""] = /'(--[a-z-]*|-.)/i.exec(error.message) ?? [];
  throw new UsageError(`unknown option '${flag}'`);
}
