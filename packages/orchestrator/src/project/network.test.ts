import { type ConfigSource, loopSettings, type NetworkPolicy, type Project } from "@opentiger/schema";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type TemporaryDatabase, temporaryDatabase } from "../fixture/temporary-database.ts";
import { SystemConfig, type SystemConfigOptions } from "../state/config/system-config.ts";
import type { Database } from "../state/database.ts";
import { phaseNetwork } from "./network.ts";

const key = "OPENTIGER_NETWORK_POLICY";

let instance: TemporaryDatabase;
let database: Database;

beforeAll(async () => {
  instance = await temporaryDatabase();
  database = await instance.open();
});

afterAll(() => instance.remove());

/** What a run may reach where the project says `open` in this way, and the user `deny` in that. */
async function policyOf(
  said: "file" | "flag",
  options: SystemConfigOptions,
  network?: NetworkPolicy,
): Promise<NetworkPolicy> {
  const config = await SystemConfig.open(database, { env: {}, ...options });
  const phase = { policy: "open" as const, allow: [] };
  const project: Pick<Project, "network" | "sources"> = {
    network: { setup: phase, run: phase, verify: phase },
    sources: { network: said },
  };
  try {
    const loop = { settings: loopSettings.parse({ network }) };
    return phaseNetwork({ config }, loop, project, "run").policy;
  } finally {
    config.close();
  }
}

it.each<[ConfigSource, SystemConfigOptions]>([
  ["flag", { flags: { [key]: "deny" } }],
  ["environment", { env: { [key]: "deny" } }],
])("a policy that is pinned (%s) holds against the repository's file", async (_source, options) => {
  expect(await policyOf("file", options)).toBe("deny");
});

it("a policy that was said for this loop holds against one that is pinned", async () => {
  expect(await policyOf("flag", { env: { [key]: "deny" } })).toBe("open");
  expect(await policyOf("file", { env: { [key]: "deny" } }, "balanced")).toBe("balanced");
});

it("a policy that is stored, or the default, is for projects that say nothing", async () => {
  expect(await policyOf("file", {})).toBe("open");
  const config = await SystemConfig.open(database, { env: {} });
  await config.patch({ [key]: "deny" }, "test");
  config.close();
  expect(await policyOf("file", {})).toBe("open");
});
