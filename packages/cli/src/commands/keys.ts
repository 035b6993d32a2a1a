import { OrchestratorError } from "@opentiger/orchestrator";
import { issueToken, keyName, listTokens, revokeToken, type TokenRow } from "@opentiger/server/access";
import { Command } from "commander";
import { UsageError } from "../errors.ts";
import { audited, commandLine } from "../loop/audited.ts";
import { parseCount } from "../loop/numbers.ts";
import { type LoopVerbOptions, loopExamples, loopVerb, withPlace } from "../loop/place.ts";
import { age } from "../output/age.ts";
import { renderTable } from "../output/table.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { printJson, quiet } from "../program/verb.ts";

const dayMs = 86_400_000;

interface AddOptions extends LoopVerbOptions {
  days?: number;
}

/** Keys with which programs ask the server. They are in the database, so that they can be made before it listens. */
export function keysCommand(surroundings: Surroundings): Command {
  return quiet(new Command("keys"), surroundings)
    .description("keys with which programs ask the server")
    .enablePositionalOptions()
    .usage("COMMAND")
    .addCommand(lsCommand(surroundings))
    .addCommand(addCommand(surroundings))
    .addCommand(revokeCommand(surroundings));
}

function lsCommand(surroundings: Surroundings): Command {
  return loopVerb("ls", surroundings)
    .alias("list")
    .description("the keys that are good now")
    .addHelpText("after", loopExamples("keys ls"))
    .action((options: LoopVerbOptions) =>
      withPlace(surroundings, options, async ({ database }) => {
        const keys = await listTokens(database, "key");
        if (options.json) return printJson(surroundings, { keys: keys.map(shown) });
        surroundings.stdout.write(
          keys.length === 0
            ? "no keys: opentiger keys add NAME makes one\n"
            : table(keys, surroundings.now()),
        );
      }),
    );
}

function addCommand(surroundings: Surroundings): Command {
  return loopVerb("add", surroundings)
    .description("make a key; its value is shown this once")
    .argument("<name>", "whose it is, for you to tell them apart")
    .option("--days <number>", "how long it is good (default: until it is revoked)", parseCount)
    .addHelpText("after", loopExamples("keys add ci", "keys add laptop --days 90"))
    .action((given: string, options: AddOptions) =>
      withPlace(surroundings, options, async ({ database }) => {
        const name = checkedName(given);
        const lasts = options.days === undefined ? {} : { lastsMs: options.days * dayMs };
        const made = await audited(database, { action: "keys add", target: name }, () =>
          issueToken(database, { kind: "key", name, by: commandLine, ...lasts }),
        );
        const { stdout, stderr } = surroundings;
        if (options.json) return printJson(surroundings, { ...shown(made.row), key: made.token });
        stdout.write(`${made.token}\n`);
        if (stdout.isTTY) stderr.write("It is shown this once. Send it as X-API-Key.\n");
      }),
    );
}

function revokeCommand(surroundings: Surroundings): Command {
  return loopVerb("revoke", surroundings)
    .description("end a key: the next request with it is refused")
    .argument("<key>", "its id or its name")
    .addHelpText("after", loopExamples("keys revoke ci"))
    .action((key: string, options: LoopVerbOptions) =>
      withPlace(surroundings, options, async ({ database }) => {
        const known = await listTokens(database, "key");
        const found = known.find(({ id }) => id === key) ?? known.find(({ name }) => name === key);
        const revoked =
          found &&
          (await audited(database, { action: "keys revoke", target: found.name }, () =>
            revokeToken(database, found.id, "key"),
          ));
        if (!revoked)
          throw new OrchestratorError("not_found", `there is no key ${key}`, { remedy: "opentiger keys ls" });
        if (options.json) return printJson(surroundings, shown(revoked));
        surroundings.stdout.write(`${revoked.name}\n`);
      }),
    );
}

function checkedName(given: string): string {
  const { data } = keyName.safeParse(given);
  if (data !== undefined) return data;
  throw new UsageError(
    `${JSON.stringify(given)} is not a name for a key`,
    "Use letters, digits and - _ . such as ci.",
  );
}

function table(keys: readonly TokenRow[], now: Date): string {
  const rows = keys.map(({ id, name, createdAt, usedAt, expiresAt }) => [
    id,
    name,
    age(createdAt, now),
    usedAt === null ? "never" : `${age(usedAt, now)} ago`,
    expiresAt === null ? "never" : expiresAt.toISOString().slice(0, 10),
  ]);
  return renderTable([["KEY", "NAME", "AGE", "USED", "EXPIRES"], ...rows]);
}

function shown({ id, name, createdAt, createdBy, expiresAt, usedAt }: TokenRow) {
  return { id, name, createdAt, createdBy, expiresAt, usedAt };
}
