import { editTask, ensureDispatcher, refuseUnlessEditable, type TaskRow } from "@opentiger/orchestrator";
import { type TaskEdit, taskEdit } from "@opentiger/schema";
import type { Command } from "commander";
import { UsageError } from "../errors.ts";
import { audited, taskAction } from "../loop/audited.ts";
import { loopNamed, taskNumbered } from "../loop/find.ts";
import { loopExamples, taskVerb, withPlace } from "../loop/place.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { printJson } from "../program/verb.ts";
import { inEditor } from "./task-editor.ts";
import { checkedFields, saidFields, type TaskFieldOptions, taskFieldOptions } from "./task-fields.ts";

export function editCommand(surroundings: Surroundings): Command {
  return taskFieldOptions(taskVerb("edit", surroundings))
    .description("change one that nobody works on; without an option, its instructions in your $EDITOR")
    .addHelpText(
      "after",
      loopExamples(
        "task edit k3v9x0ab 3",
        'task edit k3v9x0ab 3 --instructions "Write it without the parser."',
        "task edit k3v9x0ab 3 -f better.md --needs 1 2",
      ),
    )
    .action((loop: string, number: string, options: TaskFieldOptions) =>
      edit(loop, number, options, surroundings),
    );
}

async function edit(
  loop: string,
  number: string,
  options: TaskFieldOptions,
  surroundings: Surroundings,
): Promise<void> {
  const asked = await saidFields(options, surroundings);
  const change = (fields: TaskEdit, before?: string) =>
    withPlace(surroundings, options, async ({ database, env }) => {
      const found = await taskNumbered(database, await loopNamed(database, loop), number);
      if (before !== undefined && found.instructions !== before) throw changedMeanwhile(found);
      const task = await audited(database, taskAction("edit", found), () =>
        editTask(database, found.id, checkedFields(taskEdit, fields, "edit")),
      );
      await ensureDispatcher(env);
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
