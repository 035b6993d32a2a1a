import { Command } from "commander";
import type { Surroundings } from "../program/surroundings.ts";
import { quiet } from "../program/verb.ts";
import { auditCommand } from "./audit.ts";
import { deleteCommand } from "./delete.ts";
import { processPaths } from "./input-output.ts";
import { leaseCommand } from "./lease.ts";
import { leasesCommand } from "./leases.ts";
import { listCommand } from "./list.ts";
import { revokeCommand } from "./revoke.ts";
import { statusCommand } from "./status.ts";
import { addCommand, updateCommand } from "./store.ts";
import { secretsExamples } from "./verb.ts";

const verbs = [
  addCommand,
  updateCommand,
  deleteCommand,
  listCommand,
  leaseCommand,
  leasesCommand,
  revokeCommand,
  auditCommand,
  statusCommand,
];

/** Everything behind `secrets` and `opentiger secrets`: one definition for both. */
export function secretsCommand(surroundings: Surroundings, paths = processPaths): Command {
  const command = quiet(new Command("secrets"), surroundings)
    .description("Secrets of yours: encrypted, leased for a time, never shown by accident")
    .enablePositionalOptions()
    .usage("COMMAND")
    .addHelpText(
      "after",
      secretsExamples(
        surroundings,
        "add claude_setup_token",
        "lease claude_setup_token --ttl 1h --raw",
        "status",
      ),
    );
  for (const make of verbs) command.addCommand(make(surroundings, paths));
  return command;
}
