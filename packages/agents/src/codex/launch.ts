import type { AgentTask, Launch, LaunchFile, LaunchPlace } from "../driver.ts";
import { confinement } from "./permissions.ts";
import { told } from "./prompt.ts";
import { settings } from "./settings.ts";

const schemaFile = "answer-schema.json";

/** `codex exec` reads everything it is told from stdin; nothing of it can be seen in a list of processes. */
export function launch(task: AgentTask, place: LaunchPlace): Launch {
  const { arguments: confined, env, files } = confinement(task.permissions, place);
  const { stdin, files: prompts } = told(task, place);
  const { session, model, answer } = task;
  return {
    command: [
      "codex",
      "exec",
      ...(session.kind === "resumed" ? ["resume", session.id] : []),
      "--json",
      "--skip-git-repo-check",
      ...(model === undefined ? [] : ["--model", model]),
      ...(answer ? ["--output-schema", `${place.folder}/${schemaFile}`] : []),
      ...confined,
      ...settings(task.projectSettings, place),
      "-",
    ],
    // Its log says which tool calls it refused, and it alone; a level of the user's must not silence it.
    env: { ...env, RUST_LOG: "error" },
    files: [...files, ...prompts, ...(answer ? [schema(answer.jsonSchema)] : [])],
    stdin,
  };
}

function schema(jsonSchema: Readonly<Record<string, unknown>>): LaunchFile {
  return { path: schemaFile, content: JSON.stringify(jsonSchema) };
}
