import { ensureDispatcher, type Sent, sendBack, sendMessage } from "@opentiger/orchestrator";
import type { DiffComment } from "@opentiger/schema";
import { type Command, Option } from "commander";
import { UsageError } from "../errors.ts";
import { audited, taskAction } from "../loop/audited.ts";
import { loopNamed, taskNumbered } from "../loop/find.ts";
import { type LoopVerbOptions, loopExamples, taskVerb, withPlace } from "../loop/place.ts";
import { readGiven } from "../loop/plan-file.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { printJson } from "../program/verb.ts";

interface MessageOptions extends LoopVerbOptions {
  file?: string;
}

interface SendBackOptions extends LoopVerbOptions {
  message?: string;
  file?: string;
  comment: DiffComment[];
}

export function messageCommand(surroundings: Surroundings): Command {
  return taskVerb("message", surroundings)
    .description("say something to the agent at work on it; the same conversation goes on with that")
    .argument("[text]", "what to say")
    .option("-f, --file <file>", "say what stands there; - is stdin")
    .addHelpText(
      "after",
      loopExamples('task message k3v9x0ab 3 "Use the parser that is there."', "task message k3v9x0ab 3 -f -"),
    )
    .action((loop: string, number: string, text: string | undefined, options: MessageOptions) =>
      withPlace(surroundings, options, async (place) => {
        const said = await given(text, options.file, surroundings);
        if (said === undefined)
          throw new UsageError(
            "there is nothing to say",
            "Write it behind the number, or name a file with -f.",
          );
        const task = await taskNumbered(place.database, await loopNamed(place.database, loop), number);
        const sent = await audited(place.database, taskAction("message", task), () =>
          sendMessage(place, task.id, said),
        );
        await ensureDispatcher(place.env);
        if (options.json) return printJson(surroundings, sent);
        surroundings.stdout.write(
          `the agent of task ${task.number} is told; see it with: opentiger run logs -f ${task.loop} ${task.number}\n`,
        );
      }),
    );
}

export function sendBackCommand(surroundings: Surroundings): Command {
  return taskVerb("send-back", surroundings)
    .description("send its work back: points for its next run, or a new task where it is on the branch")
    .option("-m, --message <text>", "what is to be changed")
    .option("-f, --file <file>", "the same, as it stands there; - is stdin")
    .addOption(
      new Option(
        "--comment <path:line:text>",
        "on a line of its diff, by the number in the new file; may be repeated",
      )
        .argParser((written: string, before: DiffComment[]) => [...before, commentOf(written)])
        .default([], "none"),
    )
    .addHelpText(
      "after",
      loopExamples(
        'task send-back k3v9x0ab 3 -m "Too clever: make it simpler."',
        'task send-back k3v9x0ab 3 --comment "src/list.ts:12:Say why this is sorted."',
      ),
    )
    .action((loop: string, number: string, options: SendBackOptions) =>
      withPlace(surroundings, options, async (place) => {
        const message = await given(options.message, options.file, surroundings);
        const task = await taskNumbered(place.database, await loopNamed(place.database, loop), number);
        const sent = await audited(place.database, taskAction("send-back", task), () =>
          sendBack(place, task.id, {
            ...(message === undefined ? {} : { message }),
            comments: options.comment,
          }),
        );
        await ensureDispatcher(place.env);
        if (options.json) return printJson(surroundings, sent);
        surroundings.stdout.write(`${became(sent)}\n`);
      }),
    );
}

/** `src/list.ts:12:Say why.` A path may hold colons; the first number between two of them is the line. */
function commentOf(written: string): DiffComment {
  const [, path = "", line = "", text = ""] = /^(.+?):([1-9]\d{0,8}):(.+)$/s.exec(written) ?? [];
  if (path !== "" && text.trim() !== "") return { path, line: Number(line), text: text.trim() };
  throw new UsageError(
    `${JSON.stringify(written)} is not a comment on a line`,
    'Write it as PATH:LINE:TEXT, as in --comment "src/list.ts:12:Say why this is sorted."',
  );
}

async function given(
  text: string | undefined,
  file: string | undefined,
  { cwd }: Surroundings,
): Promise<string | undefined> {
  if (text !== undefined && file !== undefined)
    throw new UsageError("it is said twice", "Say it in words or name a file, not both.");
  return file === undefined ? text : readGiven(file, cwd);
}

function became({ became: what, task }: Sent): string {
  const named = `task ${task.number} of loop ${task.loop}`;
  if (what === "message") return `${named} is being worked on: its agent is told`;
  if (what === "task")
    return `its work is on the branch, so this is a new one: ${named}, which is ${task.state}`;
  return `${named} is ${task.state}`;
}
