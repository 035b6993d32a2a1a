import type { Command } from "commander";
import type { FindingStatus } from "../doctor/check.ts";
import { checks } from "../doctor/checks.ts";
import { type Found, failure, runChecks } from "../doctor/run-checks.ts";
import { Ward } from "../doctor/ward.ts";
import { coloursFor } from "../output/colours.ts";
import { progressOn } from "../output/progress.ts";
import { printable } from "../output/table.ts";
import { cancellable } from "../program/cancellation.ts";
import { exits } from "../program/exits.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { inContext, printJson, type VerbOptions, verb } from "../program/verb.ts";

interface DoctorOptions extends VerbOptions {
  fix?: true;
}

/** What was done about a finding, or why it could not be. */
interface Fixed {
  check: string;
  done: string | null;
  error: string | null;
  remedy: string | null;
}

export function doctorCommand(surroundings: Surroundings): Command {
  return verb("doctor", surroundings)
    .description("look at everything that openTiger needs, and say what mends what is wrong")
    .option("--fix", "do what can hurt nobody: build the image, remove what killed processes left")
    .addHelpText(
      "after",
      "\nExamples:\n  opentiger doctor\n  opentiger doctor --fix\n  opentiger doctor --json",
    )
    .action(async (options: DoctorOptions) => {
      const { found, fixed } = await cancellable(surroundings.env, (signal) =>
        examine(options, surroundings, signal),
      );
      const well = found.every(({ status }) => status !== "fail");
      if (options.json) printJson(surroundings, { ok: well, findings: found.map(shown), fixed });
      else surroundings.stdout.write(render(found, fixed, surroundings));
      if (!well) surroundings.exitWith(exits.negative);
    });
}

async function examine(options: DoctorOptions, surroundings: Surroundings, signal: AbortSignal) {
  const env = inContext(surroundings, options);
  const progress = progressOn(surroundings, options);
  progress.line("looking at everything");
  let ward = new Ward(env, signal);
  try {
    const found = await runChecks(checks, ward);
    const broken = options.fix ? found.filter(({ fix }) => fix) : [];
    if (broken.length === 0) return { found, fixed: [] };
    const fixed: Fixed[] = [];
    for (const each of broken) {
      progress.line(each.remedy ?? each.message);
      fixed.push(await mend(each, ward));
    }
    await ward.close();
    // What the first looks remembered is no longer so.
    ward = new Ward(env, signal);
    return { found: await runChecks(checks, ward), fixed };
  } finally {
    progress.end();
    await ward.close();
  }
}

async function mend({ check, fix }: Found, ward: Ward): Promise<Fixed> {
  try {
    return { check, done: (await fix?.(ward)) ?? null, error: null, remedy: null };
  } catch (error) {
    const { message, remedy = null } = failure(error);
    return { check, done: null, error: message, remedy };
  }
}

function shown({ check, status, message, remedy, fix }: Found) {
  return { check, status, message, remedy: remedy ?? null, fixable: fix !== undefined };
}

const byFix = " (opentiger doctor --fix does it)";

function render(found: readonly Found[], fixed: readonly Fixed[], { stdout, env }: Surroundings): string {
  const colours = coloursFor(stdout, env);
  const marks = { ok: colours.green("✓"), warn: colours.yellow("!"), fail: colours.red("✗") };
  const width = Math.max(...checks.map(({ name }) => name.length));
  const way = (remedy: string | null | undefined, by = "") =>
    remedy ? `${" ".repeat(width + 4)}${colours.cyan("→")} ${printable(remedy)}${by}\n` : "";
  const done = fixed.map(({ check, done: what, error, remedy }) =>
    what === null
      ? `${marks.fail} ${check.padEnd(width)}  ${printable(error ?? "")}\n${way(remedy)}`
      : `${marks.ok} ${check.padEnd(width)}  ${what}\n`,
  );
  const lines = found.map(
    ({ check, status, message, remedy, fix }) =>
      `${marks[status]} ${check.padEnd(width)}  ${printable(message)}\n${way(remedy, fix && byFix)}`,
  );
  const count = (status: FindingStatus) => found.filter((each) => each.status === status).length;
  const sum = `${count("ok")} ok, ${count("warn")} to look at, ${count("fail")} wrong\n`;
  return [...(done.length > 0 ? [...done, "\n"] : []), ...lines, "\n", sum].join("");
}
