import type { Sandbox } from "@opentiger/sandbox";
import type { ExecInfo } from "@opentiger/schema";
import type { Command } from "commander";
import { UsageError } from "../errors.ts";
import { relayAsJson } from "../exec/json-relay.ts";
import { relay } from "../exec/relay.ts";
import { age } from "../output/age.ts";
import { printable, renderTable } from "../output/table.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { backendOf, examples, printJson, type VerbOptions, verb } from "../program/verb.ts";
import { withAttachRemedy } from "./exec.ts";

interface AttachOptions extends VerbOptions {
  stdoutOffset?: number;
  stderrOffset?: number;
}

export function attachCommand(surroundings: Surroundings): Command {
  return verb("attach", surroundings)
    .description("go on reading a command that an earlier exec started; without EXEC, list them")
    .argument("<sandbox>", "name")
    .argument("[exec]", "its id: chosen with exec --id, or as the lost client said")
    .option("--stdout-offset <bytes>", "how much of stdout you already have", parseOffset)
    .option("--stderr-offset <bytes>", "how much of stderr you already have", parseOffset)
    .addHelpText(
      "after",
      `${examples(surroundings, "attach my-sandbox", "attach my-sandbox nightly-build --stdout-offset 4096")}

Without offsets it goes on behind the last byte that an earlier reader is known to have handed on.`,
    )
    .action(async (name: string, id: string | undefined, options: AttachOptions) => {
      const sandbox = await (await backendOf(surroundings, options)).open(name);
      try {
        if (id === undefined) return listExecs(await sandbox.execs(), surroundings, options);
        surroundings.exitWith(await attach(sandbox, id, surroundings, options));
      } finally {
        await sandbox.close();
      }
    });
}

async function attach(
  sandbox: Sandbox,
  id: string,
  { env }: Surroundings,
  options: AttachOptions,
): Promise<number> {
  const execution = await sandbox.attach(id, {
    ...(options.stdoutOffset === undefined ? {} : { stdout: options.stdoutOffset }),
    ...(options.stderrOffset === undefined ? {} : { stderr: options.stderrOffset }),
  });
  const follow = options.json ? relayAsJson : relay;
  return follow(execution, { stdin: false, env }).catch((error: unknown) => {
    throw withAttachRemedy(error, sandbox.name, id);
  });
}

function listExecs(execs: readonly ExecInfo[], surroundings: Surroundings, options: AttachOptions): void {
  if (options.json) return printJson(surroundings, { execs });
  const rows = execs.map(({ id, startedAt, exit, command }) => [
    id,
    exit ? `ended (${exit.signal ?? exit.code})` : "running",
    age(new Date(startedAt), surroundings.now()),
    printable(command.join(" ")),
  ]);
  surroundings.stdout.write(renderTable([["EXEC", "STATUS", "AGE", "COMMAND"], ...rows]));
}

function parseOffset(text: string): number {
  const offset = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(offset)) return offset;
  throw new UsageError(`"${text}" is not a number of bytes`);
}
