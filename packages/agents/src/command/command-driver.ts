import { answerWords } from "../answers/answer-words.ts";
import type { AgentDriver, AgentTask } from "../driver.ts";
import { toolWords } from "../tools.ts";
import { PlainLines } from "./plain-lines.ts";
import { filled, refuseUnknown } from "./template.ts";

export interface CommandTemplate {
  /** For example `["aider", "--message-file", "{promptFile}", "--model", "{model}"]`. */
  command: readonly string[];
  /** How it gets the prompt. Default: by the file where the command names it, else by stdin. */
  prompt?: "stdin" | "file";
  /** own: it reads CLAUDE.md or AGENTS.md by itself. Default: they stand in front of the prompt. */
  instructions?: "in_prompt" | "own";
  env?: Readonly<Record<string, string>>;
}

const promptFile = "prompt";

/**
 * Any CLI of the user's. What it prints becomes text, line by line, and its exit code decides; what it knows of
 * permissions, settings and turns is in its own arguments.
 */
export function commandDriver(template: CommandTemplate): AgentDriver {
  const { command, env = {}, instructions = "in_prompt" } = template;
  refuseUnknown(command);
  const named = command.some((word) => word.includes("{promptFile}"));
  const byFile = (template.prompt ?? (named ? "file" : "stdin")) === "file";
  return {
    name: "command",
    title: command[0] ?? "",
    template: "shell",
    abilities: { answers: "prompt", resume: false, maxTurns: false },
    launch: (task, { folder, cwd }) => {
      const prompt = wholePrompt(task, instructions);
      return {
        command: filled(command, { promptFile: `${folder}/${promptFile}`, cwd, model: task.model }),
        env,
        files: byFile ? [{ path: promptFile, content: prompt }] : [],
        stdin: byFile ? "" : prompt,
      };
    },
    reader: () => new PlainLines(),
  };
}

/** It has one way to be told anything. */
function wholePrompt(
  { systemPrompt, tools, instructions, prompt, answer }: AgentTask,
  where: "in_prompt" | "own",
): string {
  const project =
    where === "own" ? [] : instructions.map(({ path, text }) => `${path} of this project:\n\n${text}`);
  const parts = [systemPrompt, toolWords(tools), ...project, prompt, answer && answerWords(answer)];
  return parts.filter((part) => part !== undefined).join("\n\n");
}
