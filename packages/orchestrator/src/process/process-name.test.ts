import { type ExecutionEnvironment, stageRoles } from "@opentiger/schema";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryDatabase } from "../fixture/temporary-database.ts";
import { SystemConfig } from "../state/config/system-config.ts";
import type { Database } from "../state/database.ts";
import { processSkipped, rolesOfProcess } from "./process-name.ts";

const instance = await temporaryDatabase();

let database: Database;

beforeAll(async () => {
  database = await instance.open();
});

afterAll(() => instance.remove());

async function configOf(environment: ExecutionEnvironment): Promise<SystemConfig> {
  const config = await SystemConfig.open(database, { env: {} });
  await config.patch({ EXECUTION_ENVIRONMENT: environment }, "test");
  return config;
}

describe("A4 a host process that works on tasks", () => {
  it.each(["worker-1", "tester-2", "docser-13"])(
    "%s is skipped in sandbox mode, and says why",
    async (name) => {
      const config = await configOf("sandbox");
      const skip = processSkipped(config, name);
      expect(skip).toEqual({
        skipped: true,
        reason: expect.stringContaining("EXECUTION_ENVIRONMENT is sandbox"),
      });
      config.close();
    },
  );

  it.each(["worker-1", "tester-2", "docser-13"])("A5 %s is started in host mode", async (name) => {
    const config = await configOf("host");
    expect(processSkipped(config, name)).toEqual({ skipped: false });
    config.close();
  });

  it("A4 the dispatcher is never skipped", async () => {
    for (const environment of ["sandbox", "host"] as const) {
      const config = await configOf(environment);
      expect(processSkipped(config, "dispatcher")).toEqual({ skipped: false });
      config.close();
    }
  });
});

it("a process claims what its name says", () => {
  expect(rolesOfProcess("worker-1")).toEqual(["worker"]);
  expect(rolesOfProcess("docser-2")).toEqual(["docser"]);
  expect(rolesOfProcess("dispatcher")).toEqual(stageRoles);
  expect(rolesOfProcess("dispatcher-2")).toEqual(stageRoles);
});

it.each(["", "worker", "worker-0", "judge-1", "../worker-1", "worker-1 ", "dispatcher/x"])(
  "%j is no process",
  (name) => {
    expect(() => rolesOfProcess(name)).toThrow(/not a process/);
  },
);
