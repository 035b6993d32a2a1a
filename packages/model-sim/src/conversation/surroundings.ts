const reminder = /<system-reminder>[\s\S]*?<\/system-reminder>/g;

/** What CLIs say in the user's name: Codex of its surroundings, Claude Code of a form that was not kept to. */
const context =
  /^\s*(?:<(?:environment_context|user_instructions|turn_aborted)>|# AGENTS\.md instructions|\[structured-output-enforce\])/;

/**
 * What a user's text says without what the CLI put in: Claude Code and OpenCode add reminders and move them about,
 * Codex sends its surroundings as a message of the user's. Empty where nothing is left.
 */
export function withoutSurroundings(text: string): string {
  if (context.test(text)) return "";
  return text.replaceAll(reminder, "").trim();
}
