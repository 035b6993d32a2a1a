import type { LoginStatus } from "@opentiger/schema";
import { afterAll, beforeAll, expect, it } from "vitest";
import { temporaryDatabase } from "../fixture/temporary-database.ts";
import { claimed, claimOf, newLoop, newTask } from "../fixture/temporary-loops.ts";
import { knownAgents, noteLogin } from "./agents.ts";
import { claimStage } from "./claims.ts";
import type { Database } from "./database.ts";
import { startRun } from "./runs.ts";

const instance = await temporaryDatabase();
let database: Database;

beforeAll(async () => {
  database = await instance.open();
});

afterAll(() => instance.remove());

const good: LoginStatus = {
  agent: "claude",
  executionEnvironment: "sandbox",
  available: true,
  authenticated: true,
  checkedAt: "2026-01-02T00:00:00.000Z",
  method: "claude_setup_token",
  version: "2.1.0",
  problem: null,
};

it("what a check found is kept for its place, until a later one can tell", async () => {
  await noteLogin(database, good);
  await noteLogin(database, { ...good, authenticated: null, checkedAt: "2026-01-03T00:00:00.000Z" });
  await noteLogin(database, { ...good, version: "2.0.0", checkedAt: "2026-01-01T00:00:00.000Z" });
  await noteLogin(database, { ...good, executionEnvironment: "host", authenticated: false, method: null });
  const checkedAt = new Date(good.checkedAt);
  const known = { agent: "claude_code", version: "2.1.0", checkedAt, usedAt: null };
  expect(await knownAgents(database)).toEqual([
    { ...known, environment: "host", authenticated: false, method: null },
    { ...known, environment: "sandbox", authenticated: true, method: "claude_setup_token" },
  ]);
  await noteLogin(database, { ...good, version: "2.2.0", checkedAt: "2026-01-04T00:00:00.000Z" });
  expect((await knownAgents(database))[1]).toMatchObject({ version: "2.2.0" });
});

it("an agent is known by when it was last used, too", async () => {
  await newLoop(database, [newTask("a")]);
  const lease = await claimed(claimStage(database, claimOf("me")));
  const run = await startRun(database, lease, { agent: "claude_code", role: "worker" });
  expect((await knownAgents(database)).map(({ usedAt }) => usedAt)).toEqual([run?.startedAt, run?.startedAt]);
});
