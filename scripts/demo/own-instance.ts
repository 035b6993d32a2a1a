import { join } from "node:path";
import { configKeys } from "@opentiger/schema";

/** Of the settings in the user's environment only these: the image is the one that was made for this. */
const kept: readonly string[] = ["SANDBOX_DOCKER_IMAGE", "OPENTIGER_DEBUG"];

/**
 * The environment of an openTiger of its own below `folder`, on any free port, whose model is at this URL. What the user
 * has set for their own is not for this one: least of all their database, which would belong to it afterwards. Nor are the
 * settings of their Claude Code, which on the host would also keep the demo's conversations.
 */
export function ownInstance(folder: string, model: string, env = process.env): NodeJS.ProcessEnv {
  return {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => kept.includes(name) || !isSetting(name))),
    OPENTIGER_HOME: join(folder, "state"),
    OPENTIGER_API_PORT: "0",
    CLAUDE_CONFIG_DIR: join(folder, "claude"),
    ANTHROPIC_BASE_URL: model,
    ANTHROPIC_API_KEY: "sk-ant-the-key-that-no-sandbox-ever-has",
  };
}

function isSetting(name: string): boolean {
  return name.startsWith("OPENTIGER_") || name === "AGENT_LOOP_HOST" || Object.hasOwn(configKeys, name);
}
