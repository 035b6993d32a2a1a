import type { AgentTask, LaunchFile } from "../driver.ts";

/** Read by OpenCode itself where the settings of a project are allowed. */
const readByItself = "AGENTS.md";

/**
 * What stands behind OpenCode's own system prompt, in files that its configuration names. The switch that keeps the
 * settings of a project out keeps AGENTS.md out as well, and CLAUDE.md is never left to OpenCode, which reads it only
 * where there is no AGENTS.md: so each comes to the model once.
 */
export function instructionFiles({ systemPrompt, instructions, projectSettings }: AgentTask): LaunchFile[] {
  const project = instructions
    .filter(({ path }) => projectSettings === "ignored" || path !== readByItself)
    .map(({ path, text }) => `# ${path} of this project\n\n${text.trim()}`);
  const files = [
    { path: "system-prompt.md", content: systemPrompt?.trim() ?? "" },
    { path: "project-instructions.md", content: project.join("\n\n") },
  ];
  return files.filter(({ content }) => content !== "");
}
