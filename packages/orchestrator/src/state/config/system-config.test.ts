import { configEntry, configKeyNames } from "@opentiger/schema";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../../../../../tests/setup/until.ts";
import { temporaryDatabase } from "../../fixture/temporary-database.ts";
import type { Database } from "../database.ts";
import { SystemConfig } from "./system-config.ts";

const instance = await temporaryDatabase();

let database: Database;
let config: SystemConfig;

beforeAll(async () => {
  database = await instance.open();
  config = await SystemConfig.open(database, { env: {} });
});

afterAll(() => instance.remove());

describe("system_config", () => {
  it("shows every key with its default, its sentence and where its value comes from", () => {
    const entries = config.entries();
    expect(entries.map(({ key }) => key)).toEqual(configKeyNames);
    for (const entry of entries)
      expect(configEntry.parse(entry)).toMatchObject({ source: "default", problem: null });
  });

  it("A1 keeps EXECUTION_ENVIRONMENT, also for the next process", async () => {
    const [changed] = await config.patch({ EXECUTION_ENVIRONMENT: "host" }, "a test");
    expect(changed).toMatchObject({ value: "host", source: "stored", updatedBy: "a test" });
    const next = await SystemConfig.open(await instance.open(), { env: {} });
    expect(next.get("EXECUTION_ENVIRONMENT")).toBe("host");
  });

  it("A1 refuses another EXECUTION_ENVIRONMENT with the two legal values, and keeps the one there was", async () => {
    await expect(config.patch({ EXECUTION_ENVIRONMENT: "vm" }, "a test")).rejects.toThrow(
      "must be host or sandbox",
    );
    expect(config.get("EXECUTION_ENVIRONMENT")).toBe("host");
  });

  it("A2 the launch mode follows it", async () => {
    expect(config.launchMode).toBe("process");
    await config.patch({ EXECUTION_ENVIRONMENT: "sandbox" }, "a test");
    expect(config.launchMode).toBe("docker");
  });

  it("changes all of a patch or nothing", async () => {
    const patch = { OPENTIGER_MAX_RUNNING: 9, OPENTIGER_RUN_TIMEOUT: "never" };
    await expect(config.patch(patch, "a test")).rejects.toMatchObject({ code: "config_invalid" });
    expect(config.entry("OPENTIGER_MAX_RUNNING")).toMatchObject({ value: 4, source: "default" });
  });

  it("null is the default again", async () => {
    await config.patch({ OPENTIGER_MAX_RUNNING: 9 }, "a test");
    expect(config.get("OPENTIGER_MAX_RUNNING")).toBe(9);
    const [changed] = await config.patch({ OPENTIGER_MAX_RUNNING: null }, "a test");
    expect(changed).toMatchObject({ value: 4, source: "default", updatedAt: null });
  });

  it("a key that the environment pins is not changed, here or in the table", async () => {
    const pinned = await SystemConfig.open(database, { env: { OPENTIGER_MAX_RUNNING: "3" } });
    await expect(pinned.patch({ OPENTIGER_MAX_RUNNING: 9 }, "a test")).rejects.toMatchObject({
      code: "config_pinned",
    });
    expect(pinned.get("OPENTIGER_MAX_RUNNING")).toBe(3);
    expect(config.get("OPENTIGER_MAX_RUNNING")).toBe(4);
    pinned.close();
  });

  it("no secret reaches the table", async () => {
    const secret = `sk-ant-api03-${"x".repeat(40)}`;
    await expect(config.patch({ ANTHROPIC_API_KEY: secret }, "a test")).rejects.toMatchObject({
      code: "config_secret",
    });
    const { rows } = await database.query("select * from system_config");
    expect(JSON.stringify(rows)).not.toContain(secret);
  });

  it("rows of another version's keys are left alone", async () => {
    await database.query(
      "insert into system_config (key, value, updated_by) values ('OF_TOMORROW', '1', 'a newer one')",
    );
    await config.patch({ OPENTIGER_MAX_RUNNING: 5 }, "a test");
    expect((await database.query("select 1 from system_config where key = 'OF_TOMORROW'")).count).toBe(1);
  });
});

describe("a change by another process", () => {
  it("is in force here without a restart", async () => {
    const other = await SystemConfig.open(await instance.open(), { env: {} });
    await other.patch({ OPENTIGER_REWORKS: 7 }, "another process");
    await until("it is in force", () => config.get("OPENTIGER_REWORKS") === 7);
  });

  it("is noticed also when nobody told of it", async () => {
    const listening = await instance.open({ notifications: { pollMs: 50 } });
    const polling = await SystemConfig.open(listening, { env: {} });
    await database.query("update system_config set value = '8' where key = 'OPENTIGER_REWORKS'");
    await until("it is in force", () => polling.get("OPENTIGER_REWORKS") === 8);
  });
});
