import type { AgentTask, LaunchFile, LaunchPlace } from "../driver.ts";
import { toolWords } from "../tools.ts";
import { permissionWords } from "./permissions.ts";

/** Codex refuses to begin with more than 1,048,576 characters, and what we say around a prompt is among them. */
const longestInput = 1_000_000;

const promptFile = "task.md";
const shownBeginning = 4_000;

export interface Told {
  stdin: string;
  files: readonly LaunchFile[];
}

/** What Codex is told, by stdin; what is too long for that stands in a file, and it is told to read it. */
export function told(task: AgentTask, place: LaunchPlace): Told {
  const text = wholeText(task, place);
  if (text.length <= longestInput) return { stdin: text, files: [] };
  const path = `${place.folder}/${promptFile}`;
  const beginning = `It begins like this:\n\n${text.slice(0, shownBeginning)}`;
  return {
    stdin: `Your task is in the file ${path}. Read all of it before you begin. ${beginning}`,
    files: [{ path: promptFile, content: text }],
  };
}

/**
 * Codex takes a further system prompt only in its configuration or as an argument, so ours stands in front of the
 * prompt, and so do the project's instructions; a conversation that is resumed has them already.
 */
function wholeText(task: AgentTask, place: LaunchPlace): string {
  const { systemPrompt, permissions, tools, instructions, prompt, session } = task;
  if (session.kind === "resumed") return prompt;
  const project = instructions.map(({ path, text }) => `# ${path} of this project\n\n${text.trim()}`);
  const limits = [permissionWords(permissions, place), toolWords(tools)];
  const before = [systemPrompt?.trim(), ...limits, ...project].filter(Boolean);
  return before.length === 0 ? prompt : [...before, `# Your task\n\n${prompt}`].join("\n\n");
}
