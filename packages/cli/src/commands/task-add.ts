import { addTask, ensureDispatcher } from "@opentiger/orchestrator";
import { type TaskEdit, taskFields } from "@opentiger/schema";
import type { Command } from "commander";
import { UsageError } from "../errors.ts";
import { audited } from "../loop/audited.ts";
import { loopNamed } from "../loop/find.ts";
import { loopExamples, loopVerb, withPlace } from "../loop/place.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { printJson } from "../program/verb.ts";
import { checkedFields, saidFields, type TaskFieldOptions, taskFieldOptions } from "./task-fields.ts";

/** Of a task of which only its instructions are said: it may touch anything, and so it runs alone. */
const usual: TaskEdit = { role: "worker", needs: [], allowedPaths: [] };

/** As long as a title may be that is made of the instructions. */
const titleLength = 72;

export function addCommand(surroundings: Surroundings): Command {
  return taskFieldOptions(loopVerb("add", surroundings).argument("<loop>", "its id, or the beginning of it"))
    .description("add one to a loop that has not ended")
    .addHelpText(
      "after",
      loopExamples(
        'task add k3v9x0ab --instructions "Say in the README how it is installed." --role docser --paths README.md',
        "task add k3v9x0ab -f more.md --needs 2",
      ),
    )
    .action((loop: string, options: TaskFieldOptions) =>
      withPlace(surroundings, options, async (place) => {
        const said = await saidFields(options, surroundings);
        if (said.instructions === undefined) throw withoutInstructions();
        const [title = ""] = said.instructions.trim().split("\n");
        const named = { title: title.slice(0, titleLength), ...usual, ...said };
        const { id } = await loopNamed(place.database, loop);
        const action = { action: "task add", target: id };
        const task = await audited(place.database, action, () =>
          addTask(place, id, checkedFields(taskFields, named, "add")),
        );
        await ensureDispatcher(place.env);
        if (options.json) return printJson(surroundings, task);
        surroundings.stdout.write(`task ${task.number} of loop ${task.loop} is ${task.state}\n`);
      }),
    );
}

function withoutInstructions(): UsageError {
  return new UsageError("nothing says what the task is to do", "Give --instructions TEXT, or -f FILE.");
}
