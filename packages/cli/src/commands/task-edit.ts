import { editTask, ensureDispatcher, refuseUnlessEditable, type TaskRow } from "@opentiger/orchestrator";
import { type TaskEdit, taskEdit, taskRisk, taskRole } from "@opentiger/schema";
import { type Command, Option } from "commander";
import { UsageError } from "../errors.ts";
import { loopNamed, taskNumbered } from "../loop/find.ts";
import { type LoopVerbOptions, loopExamples, taskVerb, withPlace } from "../loop/place.ts";
import { readGiven } from "../loop/plan-file.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { printJson } from "../program/verb.ts";
import { inEditor } from "./task-editor.ts";

interface EditOptions extends LoopVerbOptions {
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
  agent?: string;
}

/** How nothing is said where there is a list, or a name. */
const none = "none";

export function editCommand(surroundings: Surroundings): Command {
  return taskVerb("edit", surroundings)
    .description("change one that nobody works on; without an option, its instructions in your $EDITOR")
    .option("--title <text>", "what it is called")
    .option("--instructions <text>", "what it is to do")
    .option("-f, --file <file>", "the same, as it stands there; - is stdin")
    .addOption(new Option("--role <role>", "whose work it is").choices(taskRole.options))
    .option("--needs <number...>", `tasks of the loop that must be done before, or ${none}`)
    .option("--paths <glob...>", `what it may change, or ${none}: anything, and so it runs alone`)
    .option("--may-change <glob...>", `tests and protected files that it is meant to change, or ${none}`)
    .option("--verify <command...>", `checks besides the project's, or ${none}`)
    .addOption(new Option("--risk <risk>", "how much can go wrong").choices(taskRisk.options))
    .option("--estimate <text>", `how long it may take, in words, or ${none}`)
    .option("--agent <agent>", `another agent than the one of its role, or ${none}`)
    .addHelpText(
      "after",
      loopExamples(
        "task edit k3v9x0ab 3",
        'task edit k3v9x0ab 3 --instructions "Write it without the parser."',
        "task edit k3v9x0ab 3 -f better.md --needs 1 2",
      ),
    )
    .action((loop: string, number: string, options: EditOptions) =>
      edit(loop, number, options, surroundings),
    );
}

async function edit(
  loop: string,
  number: string,
  options: EditOptions,
  surroundings: Surroundings,
): Promise<void> {
  const asked = await asEdit(options, surroundings);
  const change = (fields: TaskEdit, before?: string) =>
    withPlace(surroundings, options, async ({ database }) => {
      const found = await taskNumbered(database, await loopNamed(database, loop), number);
      if (before !== undefined && found.instructions !== before) throw changedMeanwhile(found);
      const task = await editTask(database, found.id, checked(fields));
      await ensureDispatcher(surroundings.env);
      if (options.json) return printJson(surroundings, task);
      surroundings.stdout.write(`task ${task.number} of loop ${task.loop} is changed; it is ${task.state}\n`);
    });
  if (Object.keys(asked).length > 0) return change(asked);
  refuseWithoutEditor(surroundings);
  // The database is not kept open meanwhile: somebody may write for hours.
  const before = await withPlace(surroundings, options, async ({ database }) => {
    const task = await taskNumbered(database, await loopNamed(database, loop), number);
    refuseUnlessEditable(task);
    return task.instructions;
  });
  await inEditor(before, surroundings, (instructions) => change({ instructions }, before));
}

async function asEdit(options: EditOptions, { cwd }: Surroundings): Promise<TaskEdit> {
  const { title, instructions, file, role, needs, paths, mayChange, verify, risk, estimate, agent } = options;
  if (instructions !== undefined && file !== undefined)
    throw new UsageError("the instructions are given twice", "Say them in words or name a file, not both.");
  const all = {
    title,
    instructions: file === undefined ? instructions : await readGiven(file, cwd),
    role,
    needs: listOf(needs)?.map(Number),
    allowedPaths: listOf(paths),
    mayChange: listOf(mayChange),
    verify: listOf(verify)?.map((command) => ({ command })),
    risk,
    estimate: estimate === none ? null : estimate,
    agent: agent === none ? null : agent,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function listOf(words: string[] | undefined): string[] | undefined {
  return words?.length === 1 && words[0] === none ? [] : words;
}

function checked(fields: TaskEdit): TaskEdit {
  const parsed = taskEdit.safeParse(fields);
  // Nothing undefined was put in, so nothing undefined came out.
  if (parsed.success) return parsed.data as TaskEdit;
  const wrong = parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  throw new UsageError(wrong.join("; "), "`opentiger task edit --help` says what each option takes.");
}

function refuseWithoutEditor({ stdin, stdout }: Surroundings): void {
  if (stdin.isTTY && stdout.isTTY) return;
  throw new UsageError(
    "there is nothing to change, and no terminal for an editor",
    "Give --instructions TEXT, -f FILE, or another option.",
  );
}

function changedMeanwhile({ number }: TaskRow): UsageError {
  return new UsageError(
    `somebody else has changed the instructions of task ${number} meanwhile`,
    "Look at them with `opentiger task show`, and edit it again.",
  );
}
