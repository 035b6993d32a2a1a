import { expect, it } from "vitest";
import { ownInstance } from "./own-instance.ts";

it("the demo goes by no setting of the user's, and leaves their database alone", () => {
  const env = ownInstance("/demo", "http://127.0.0.1:1", {
    PATH: "/bin",
    OPENTIGER_HOME: "/home/una/.opentiger",
    OPENTIGER_DATABASE_URL: "postgres://127.0.0.1/una",
    OPENTIGER_WORKER_AGENT: "codex",
    EXECUTION_ENVIRONMENT: "host",
    CLAUDE_CONFIG_DIR: "/home/una/.claude",
    AGENT_LOOP_HOST: "1",
    SANDBOX_CREDENTIALS: "mount",
    SANDBOX_DOCKER_IMAGE: "opentiger/worker:claude",
  });
  expect(env).toEqual({
    PATH: "/bin",
    SANDBOX_DOCKER_IMAGE: "opentiger/worker:claude",
    OPENTIGER_HOME: "/demo/state",
    OPENTIGER_API_PORT: "0",
    CLAUDE_CONFIG_DIR: "/demo/claude",
    ANTHROPIC_BASE_URL: "http://127.0.0.1:1",
    ANTHROPIC_API_KEY: expect.any(String),
  });
});
