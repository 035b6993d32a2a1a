import { answerWords } from "../answers/answer-words.ts";
import type { AgentTask, Launch, LaunchPlace } from "../driver.ts";
import { configOf } from "./config.ts";
import { guarded } from "./guard.ts";
import { instructionFiles } from "./instructions.ts";
import { modelName } from "./model.ts";

/** A session without a title makes OpenCode ask a model for one, beside the work. */
const title = "openTiger";

/** `opencode run` takes the prompt from stdin and everything else from its configuration; its arguments hold no words. */
export function launch(task: AgentTask, place: LaunchPlace): Launch {
  const { session, model } = task;
  const instructions = instructionFiles(task);
  const { env, file } = guarded(place, {
    projectSettings: task.projectSettings,
    config: configOf(task, place, instructions),
  });
  return {
    command: [
      "opencode",
      "run",
      "--format=json",
      "--thinking",
      ...(model === undefined ? [] : [`--model=${modelName(model).whole}`]),
      session.kind === "resumed" ? `--session=${session.id}` : `--title=${title}`,
    ],
    // It believes this more than the folder that it is started in.
    env: { ...env, PWD: place.cwd },
    files: [file, ...instructions],
    stdin: task.answer ? `${task.prompt}\n\n${answerWords(task.answer)}` : task.prompt,
  };
}
