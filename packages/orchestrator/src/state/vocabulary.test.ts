import {
  agentKinds,
  blockReasons,
  executionEnvironments,
  judgementWords,
  loopStatuses,
  pauseReasons,
  roles,
  runStatuses,
  stageKinds,
  stageRoles,
  stageStates,
  taskRisks,
  taskRoles,
  taskStatuses,
} from "@opentiger/schema";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { temporaryDatabase } from "../fixture/temporary-database.ts";
import type { Database } from "./database.ts";
import { allRows } from "./rows.ts";

const instance = await temporaryDatabase();

let database: Database;

beforeAll(async () => {
  database = await instance.open();
});

afterAll(() => instance.remove());

it.each([
  ["agents_agent", agentKinds],
  ["agents_environment", executionEnvironments],
  ["loops_status", loopStatuses],
  ["loops_reason", pauseReasons],
  ["tasks_role", taskRoles],
  ["tasks_risk", taskRisks],
  ["tasks_status", taskStatuses],
  ["tasks_reason", blockReasons],
  ["stages_kind", stageKinds],
  ["stages_role", stageRoles],
  ["stages_state", stageStates],
  ["runs_role", roles],
  ["runs_status", runStatuses],
  ["judgements_judgement", judgementWords],
] as const)("the table's words of %s are those of the schema", async (constraint, words) => {
  const row = z.object({ said: z.string() });
  const found = await allRows(
    database,
    row,
    "select pg_get_constraintdef(oid) as said from pg_constraint where conname = $1",
    [constraint],
  );
  expect(found).toHaveLength(1);
  const inTable = [...(found[0]?.said ?? "").matchAll(/'([a-z_]+)'/g)].map(([, word]) => word);
  expect(inTable).toEqual([...words]);
});

it("every reference is found by an index, so that no list has to read a whole table", async () => {
  const row = z.object({ missing: z.string() });
  const missing = await allRows(
    database,
    row,
    `select c.conrelid::regclass || ' ' || c.conname as missing from pg_constraint c
     where c.contype = 'f' and c.connamespace = 'opentiger'::regnamespace
       and not exists (
         select 1 from pg_index i
         where i.indrelid = c.conrelid and (i.indkey::int2[])[0] = any (c.conkey))`,
  );
  expect(missing).toEqual([]);
});
