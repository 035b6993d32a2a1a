import type { ConfigKeyName } from "@opentiger/schema";
import { describe, expect, test } from "vitest";
import { resolveValue } from "../state/config/resolve.ts";
import { allowances } from "./allowances.ts";

/** Settings by the environment alone. */
function configOf(env: NodeJS.ProcessEnv = {}) {
  return {
    get: <Name extends ConfigKeyName>(name: Name) =>
      resolveValue(name, { flags: {}, env, stored: new Map() }),
  };
}

const commands = ["npm test"];

describe("what the agent of a task may do", () => {
  test("is everything in a sandbox, and to edit and verify on the host, as long as its work takes", () => {
    expect(allowances(configOf(), "docker", commands)).toEqual({
      permissions: { kind: "full" },
      projectSettings: "ignored",
    });
    expect(allowances(configOf(), "host", commands)).toEqual({
      permissions: { kind: "edits", commands },
      projectSettings: "ignored",
    });
  });

  test("is everything on the host too where the user says so", () => {
    const config = configOf({ OPENTIGER_HOST_PERMISSIONS: "full" });
    expect(allowances(config, "host", commands).permissions).toEqual({ kind: "full" });
    expect(() => allowances(configOf({ OPENTIGER_HOST_PERMISSIONS: "all" }), "host", commands)).toThrow(
      "edits or full",
    );
  });

  test("has a limit of turns where one is set", () => {
    expect(allowances(configOf({ OPENTIGER_MAX_TURNS: "12" }), "docker", commands).maxTurns).toBe(12);
  });
});
