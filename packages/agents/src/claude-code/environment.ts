import type { AgentTask, LaunchPlace } from "../driver.ts";

/** Its pauses double from half a second on: so it gives up after some 15 to 20 seconds instead of three minutes. */
const retries = 5;

/** Other ways to a model, which a user may have chosen for what they do themselves: here the gateway is the way. */
const otherWays = [
  "CLAUDE_CODE_USE_BEDROCK",
  "CLAUDE_CODE_USE_VERTEX",
  "CLAUDE_CODE_USE_FOUNDRY",
  "CLAUDE_CODE_USE_ANTHROPIC_AWS",
  "CLAUDE_CODE_USE_MANTLE",
  "CLAUDE_CODE_USE_GATEWAY",
  "CLAUDE_CODE_API_KEY_FILE_DESCRIPTOR",
  "CLAUDE_CODE_OAUTH_TOKEN_FILE_DESCRIPTOR",
  "ANTHROPIC_UNIX_SOCKET",
];

export function environment({ permissions }: AgentTask, place: LaunchPlace): Record<string, string> {
  return {
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_MAX_RETRIES: String(retries),
    // Notes for later conversations in this folder: a judge would read what the worker noted.
    CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1",
    // Nobody is there when a timer rings after the run.
    CLAUDE_CODE_DISABLE_CRON: "1",
    CLAUDE_CODE_ENABLE_APPEND_SUBAGENT_PROMPT: "1",
    // The prompt is in its file before the model is asked; what follows is there a tenth of a second after it was said.
    CLAUDE_CODE_EAGER_FLUSH: "1",
    ...(isLed(place) ? led(place) : {}),
    // As root it does everything unasked only where it is told that this is a sandbox; on a host, full means as much.
    ...(permissions.kind === "full" || place.backend !== "host" ? { IS_SANDBOX: "1" } : {}),
  };
}

/** Whether somebody other than its settings says by which way it reaches its model. Every sandbox does. */
export function isLed({ backend, env }: LaunchPlace): boolean {
  return backend !== "host" || env["ANTHROPIC_BASE_URL"] !== undefined;
}

/** No settings file, whoever's it is, changes base URL, token or provider then; and a wrong token is tried once. */
function led({ backend }: LaunchPlace): Record<string, string> {
  const silenced = backend === "host" ? otherWays.map((name) => [name, ""]) : [];
  return { CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST: "1", ...Object.fromEntries(silenced) };
}
