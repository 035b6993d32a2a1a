import { loopSettings } from "@opentiger/schema";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TemporaryDatabase, temporaryDatabase } from "../fixture/temporary-database.ts";
import { SystemConfig } from "../state/config/system-config.ts";
import { agentCalled, agentFor } from "./agent-choice.ts";

let instance: TemporaryDatabase;
let config: SystemConfig;

beforeAll(async () => {
  instance = await temporaryDatabase();
  const env = { OPENTIGER_WORKER_AGENT: "codex", OPENTIGER_WORKER_MODEL: "gpt-5.5" };
  config = await SystemConfig.open(await instance.open(), { env });
});

afterAll(async () => {
  config.close();
  await instance.remove();
});

const loop = (agents = {}) => ({ settings: loopSettings.parse({ agents }) });

describe("the agent of a role", () => {
  it("is the one that is configured, with its model", () => {
    expect(agentFor({ config }, loop(), "worker")).toMatchObject({ name: "codex", model: "gpt-5.5" });
    expect(agentFor({ config }, loop(), "docser")).toMatchObject({ name: "claude_code", model: undefined });
  });

  it("is the loop's where that says one, which does not get another agent's model", () => {
    const own = loop({ worker: { agent: "claude_code" } });
    expect(agentFor({ config }, own, "worker")).toMatchObject({ name: "claude_code", model: undefined });
    const both = loop({ worker: { agent: "claude_code", model: "opus" } });
    expect(agentFor({ config }, both, "worker")).toMatchObject({ name: "claude_code", model: "opus" });
    const model = loop({ worker: { model: "gpt-5.5-mini" } });
    expect(agentFor({ config }, model, "worker")).toMatchObject({ name: "codex", model: "gpt-5.5-mini" });
  });

  it("is the one that the task was handed on to, before all", () => {
    const own = loop({ worker: { agent: "claude_code", model: "opus" } });
    const task = { agent: "opencode" };
    expect(agentFor({ config }, own, "worker", task)).toMatchObject({ name: "opencode", model: undefined });
  });

  it("that was chosen before holds, whatever is configured now", () => {
    const chosen = agentCalled({ config }, { agent: "claude_code", model: "opus" });
    expect(chosen).toMatchObject({ name: "claude_code", model: "opus", driver: { template: "claude" } });
  });

  it("is refused with the remedy where there is none such, or nothing to start", () => {
    expect(() => agentCalled({ config }, { agent: "hal", model: null })).toThrow("there is no agent hal");
    const command = loop({ worker: { agent: "command" } });
    expect(() => agentFor({ config }, command, "worker")).toThrow(
      expect.objectContaining({ remedy: expect.stringContaining("OPENTIGER_AGENT_COMMAND") }),
    );
  });
});
