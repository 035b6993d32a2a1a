import {
  agentKinds,
  type TaskEdit,
  type taskEdit,
  type taskFields,
  taskRisk,
  taskRole,
} from "@opentiger/schema";
import { type Command, Option } from "commander";
import { UsageError } from "../errors.ts";
import { taskNumber } from "../loop/find.ts";
import type { LoopVerbOptions } from "../loop/place.ts";
import { readGiven } from "../loop/plan-file.ts";
import type { Surroundings } from "../program/surroundings.ts";

/** What can be said of a task on the command line. */
export interface TaskFieldOptions extends LoopVerbOptions {
  title?: string;
  instructions?: string;
  file?: string;
  role?: TaskEdit["role"];
  needs?: string[];
  paths?: string[];
  mayChange?: string[];
  verify?: string[];
  risk?: TaskEdit["risk"];
  estimate?: string;
  agent?: TaskEdit["agent"] | typeof none;
}

/** How nothing is said where there is a list, or a name. */
const none = "none";

export function taskFieldOptions(command: Command): Command {
  return command
    .option("--title <text>", "what it is called")
    .option("--instructions <text>", "what it is to do")
    .option("-f, --file <file>", "read the instructions from a file; - is stdin")
    .addOption(new Option("--role <role>", "whose work it is").choices(taskRole.options))
    .option("--needs <number...>", `tasks of the loop that must be done before, or ${none}`)
    .option("--paths <glob...>", `what it may change, or ${none}: anything, and so it runs alone`)
    .option("--may-change <glob...>", `tests and protected files that it is meant to change, or ${none}`)
    .option("--verify <command...>", `checks besides the project's, or ${none}`)
    .addOption(new Option("--risk <risk>", "how much can go wrong").choices(taskRisk.options))
    .option("--estimate <text>", `how long it may take, in words, or ${none}`)
    .addOption(
      new Option("--agent <agent>", `another agent than the one of its role, or ${none}`).choices([
        ...agentKinds,
        none,
      ]),
    );
}

/** What was said, and nothing else. */
export async function saidFields(options: TaskFieldOptions, { cwd }: Surroundings): Promise<TaskEdit> {
  const { title, instructions, file, role, needs, paths, mayChange, verify, risk, estimate, agent } = options;
  if (instructions !== undefined && file !== undefined)
    throw new UsageError("the instructions are given twice", "Say them in words or name a file, not both.");
  const all = {
    title,
    instructions: file === undefined ? instructions : await readGiven(file, cwd),
    role,
    needs: listOf(needs)?.map(taskNumber),
    allowedPaths: listOf(paths),
    mayChange: listOf(mayChange),
    verify: listOf(verify)?.map((command) => ({ command })),
    risk,
    estimate: estimate === none ? null : estimate,
    agent: agent === none ? null : agent,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

/** Those that are called otherwise than what they say. */
const optionOf: Readonly<Record<string, string>> = { allowedPaths: "paths", mayChange: "may-change" };

type Parsed<Shape extends typeof taskFields | typeof taskEdit> = {
  [Field in keyof Shape["_output"]]: Exclude<Shape["_output"][Field], undefined>;
};

/** As the shape has it; or what is wrong with it. */
export function checkedFields<Shape extends typeof taskFields | typeof taskEdit>(
  shape: Shape,
  fields: TaskEdit,
  verb: "add" | "edit",
): Parsed<Shape> {
  const parsed = shape.safeParse(fields);
  // Nothing undefined was put in, so nothing undefined came out.
  if (parsed.success) return parsed.data as Parsed<Shape>;
  const wrong = parsed.error.issues.map(({ code, path: [field = "", ...within], message }) => {
    const which = [optionOf[String(field)] ?? field, ...within].join(".");
    return code === "too_small" ? `--${which} is empty` : `--${which}: ${message}`;
  });
  throw new UsageError(wrong.join("; "), `\`opentiger task ${verb} --help\` says what each option takes.`);
}

function listOf(words: string[] | undefined): string[] | undefined {
  return words?.length === 1 && words[0] === none ? [] : words;
}
