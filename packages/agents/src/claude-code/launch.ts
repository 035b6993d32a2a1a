import type { AgentTask, Launch, LaunchFile, LaunchPlace } from "../driver.ts";
import { answerArguments } from "./answer-schema.ts";
import { environment } from "./environment.ts";
import { permissionArguments } from "./permissions.ts";
import { promptLines } from "./prompt.ts";
import { ownSettings, settingArguments } from "./settings.ts";

const systemPromptFile = "system-prompt.md";
const settingsFile = "settings.json";

/** Without the last word it refuses to print events. */
const streams = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];

/** `claude -p` with everything it is told in files and on stdin, where no list of processes shows it. */
export function launch(task: AgentTask, place: LaunchPlace): Launch {
  const files = filesFor(task, place);
  return {
    command: [
      "claude",
      "-p",
      ...streams,
      ...(task.session.kind === "new" ? ["--session-id", task.session.id] : ["--resume", task.session.id]),
      ...(task.model === undefined ? [] : ["--model", task.model]),
      ...(task.maxTurns === undefined ? [] : ["--max-turns", String(task.maxTurns)]),
      ...permissionArguments(task, place.backend),
      ...settingArguments(task.projectSettings, place.backend),
      ...(task.answer ? answerArguments(task.answer) : []),
      ...files.flatMap(({ path, option }) => [option, `${place.folder}/${path}`]),
    ],
    env: environment(task, place),
    files: files.map(({ path, content }) => ({ path, content })),
    stdin: promptLines(task.prompt, projectPart(task)),
    stdinBy: "pipe",
  };
}

function filesFor(task: AgentTask, place: LaunchPlace): (LaunchFile & { option: string })[] {
  const added = [task.systemPrompt?.trim(), projectPart(task)].filter(Boolean).join("\n\n");
  const settings = ownSettings(task, place);
  return [
    ...(added === ""
      ? []
      : [{ path: systemPromptFile, content: added, option: "--append-system-prompt-file" }]),
    ...(settings ? [{ path: settingsFile, content: JSON.stringify(settings), option: "--settings" }] : []),
  ];
}

/** Claude Code does not read them itself: see settings.ts. */
function projectPart({ instructions }: AgentTask): string {
  return instructions.map(({ path, text }) => `# ${path} of this project\n\n${text.trim()}`).join("\n\n");
}
