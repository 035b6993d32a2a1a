import {
  cancelTask,
  type Database,
  ensureDispatcher,
  listArtifacts,
  listJudgements,
  listMessages,
  listTaskRuns,
  pauseTask,
  resumeTask,
  retryTask,
  type TaskRow,
} from "@opentiger/orchestrator";
import { Command } from "commander";
import { audited, taskAction } from "../loop/audited.ts";
import { loopNamed, taskNumbered, tasksOfLoop } from "../loop/find.ts";
import { type LoopVerbOptions, loopExamples, loopVerb, taskVerb, withPlace } from "../loop/place.ts";
import { type TaskFacts, taskText } from "../loop/task-text.ts";
import { lookOf, taskTable } from "../loop/views.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { printJson, quiet } from "../program/verb.ts";
import { addCommand } from "./task-add.ts";
import { editCommand } from "./task-edit.ts";
import { taskShell } from "./task-shell.ts";
import { messageCommand, sendBackCommand } from "./task-words.ts";

/** Everything that can be done with one task of a loop. */
export function taskCommand(surroundings: Surroundings): Command {
  return quiet(new Command("task"), surroundings)
    .description("the tasks of a loop")
    .enablePositionalOptions()
    .usage("COMMAND")
    .addCommand(lsCommand(surroundings))
    .addCommand(showCommand(surroundings))
    .addCommand(shellCommand(surroundings))
    .addCommand(messageCommand(surroundings))
    .addCommand(sendBackCommand(surroundings))
    .addCommand(addCommand(surroundings))
    .addCommand(editCommand(surroundings))
    .addCommand(changeCommand("pause", "keep one from being begun", pauseTask, surroundings))
    .addCommand(changeCommand("resume", "let one go on that was paused", resumeTask, surroundings))
    .addCommand(changeCommand("retry", "run one again that failed or was cancelled", retryTask, surroundings))
    .addCommand(changeCommand("cancel", "end one, and what it runs", cancelTask, surroundings));
}

function lsCommand(surroundings: Surroundings): Command {
  return loopVerb("ls", surroundings)
    .alias("list")
    .description("list the tasks of a loop")
    .argument("<loop>", "its id, or the beginning of it")
    .addHelpText("after", loopExamples("task ls k3v9x0ab"))
    .action((name: string, options: LoopVerbOptions) =>
      withPlace(surroundings, options, async ({ database }) => {
        const loop = await loopNamed(database, name);
        const tasks = await tasksOfLoop(database, loop.id);
        if (options.json) return printJson(surroundings, { loop: loop.id, tasks });
        const text =
          tasks.length === 0
            ? `loop ${loop.id} is ${loop.state} and has no tasks\n`
            : taskTable(tasks, lookOf(surroundings));
        surroundings.stdout.write(text);
      }),
    );
}

function showCommand(surroundings: Surroundings): Command {
  return taskVerb("show", surroundings)
    .description(
      "one task: what it is to do, its runs and judgements, what people said, and where their artifacts are",
    )
    .addHelpText("after", loopExamples("task show k3v9x0ab 3"))
    .action((loop: string, number: string, options: LoopVerbOptions) =>
      withPlace(surroundings, options, async ({ database }) => {
        const task = await taskNumbered(database, await loopNamed(database, loop), number);
        const known = await factsOf(database, task);
        if (options.json) return printJson(surroundings, { ...task, ...known });
        surroundings.stdout.write(taskText(task, known, surroundings.now(), lookOf(surroundings)));
      }),
    );
}

function shellCommand(surroundings: Surroundings): Command {
  return taskVerb("shell", surroundings)
    .description("a terminal where its agent works; what you change there, the agent sees")
    .addHelpText("after", loopExamples("task shell k3v9x0ab 3"))
    .action(async (loop: string, number: string, options: LoopVerbOptions) =>
      surroundings.exitWith(await taskShell(loop, number, options, surroundings)),
    );
}

function changeCommand(
  name: string,
  about: string,
  act: (database: Database, task: string) => Promise<TaskRow>,
  surroundings: Surroundings,
): Command {
  return taskVerb(name, surroundings)
    .description(about)
    .addHelpText("after", loopExamples(`task ${name} k3v9x0ab 3`))
    .action((loop: string, number: string, options: LoopVerbOptions) =>
      withPlace(surroundings, options, async ({ database, env }) => {
        const found = await taskNumbered(database, await loopNamed(database, loop), number);
        const task = await audited(database, taskAction(name, found), () => act(database, found.id));
        await ensureDispatcher(env);
        if (options.json) return printJson(surroundings, task);
        surroundings.stdout.write(`task ${task.number} of loop ${task.loop} is ${task.state}\n`);
      }),
    );
}

async function factsOf(database: Database, { id }: TaskRow): Promise<TaskFacts> {
  const runs = (await listTaskRuns(database, { task: id, limit: 500 })).items;
  const judgements = (await listJudgements(database, { task: id, limit: 500 })).items;
  const messages = (await listMessages(database, { task: id, limit: 500 })).items;
  const pages = await Promise.all(runs.map((run) => listArtifacts(database, { run: run.id, limit: 100 })));
  return { runs, judgements, messages, artifacts: pages.flatMap(({ items }) => items) };
}
