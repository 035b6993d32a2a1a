import { join } from "node:path";

/** The environment of an openTiger of its own below `folder`, on any free port, whose model is at this URL. */
export function ownInstance(folder: string, model: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    OPENTIGER_HOME: join(folder, "state"),
    OPENTIGER_API_PORT: "0",
    ANTHROPIC_BASE_URL: model,
    ANTHROPIC_API_KEY: "sk-ant-the-key-that-no-sandbox-ever-has",
  };
}
