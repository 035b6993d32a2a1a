/**
 * What the user says, as lines for `--input-format stream-json`. Claude Code looks into the last text of a message for
 * commands of its own (`/clear`) and for files to put in (`@/etc/passwd`, without asking anybody); so the prompt, which
 * may hold words of strangers, is never the last. What the project says goes in front, for agents that it starts itself:
 * those do not have the main one's system prompt.
 */
export function promptLines(prompt: string, project: string): string {
  const content = [prompt, lastText].map((text) => ({ type: "text", text }));
  const lines = [
    ...(project === "" ? [] : [subagentsToo(project)]),
    { type: "user", message: { role: "user", content } },
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** In the form in which it tells the model things itself. */
const lastText = "<system-reminder>The task is above, and this is its end.</system-reminder>";

function subagentsToo(project: string) {
  const request = { subtype: "initialize", appendSubagentSystemPrompt: project };
  return { type: "control_request", request_id: "opentiger", request };
}
