import { afterAll, beforeAll, expect, it } from "vitest";
import { temporaryDatabase } from "../fixture/temporary-database.ts";
import { claimed, claimOf, newLoop, newTask } from "../fixture/temporary-loops.ts";
import { change } from "./change.ts";
import { claimStage } from "./claims.ts";
import type { Database } from "./database.ts";
import { listEvents } from "./events.ts";
import { findRun, startRun } from "./runs.ts";
import { storableJson } from "./storable.ts";
import { findTask } from "./tasks.ts";

const instance = await temporaryDatabase();

let database: Database;

beforeAll(async () => {
  database = await instance.open();
});

afterAll(() => instance.remove());

const said = "x\0y, half \ud83d, 🐯 é";
const kept = "x\ufffdy, half \ufffd, 🐯 é";

it("what no database takes is replaced, wherever it stands, and the rest stays", () => {
  const value = { a: [said, { b: "half \ud83d", c: "\udc00" }], n: 1, none: null };
  expect(JSON.parse(storableJson(value))).toEqual({
    a: [kept, { b: "half \ufffd", c: "\ufffd" }],
    n: 1,
    none: null,
  });
});

it("whatever an agent said, what came of its run is written down", async () => {
  const { loop } = await newLoop(database, [newTask("a")]);
  const lease = await claimed(claimStage(database, claimOf("me")));
  const run = await startRun(database, lease, { agent: "codex", role: "worker", session: said });
  const failure = { type: "no_change", message: said, remedy: "none", until: null } as const;
  const { fence } = lease;
  const id = run?.id ?? "";
  await change(database, { what: "run", id, by: "fail", from: "running", fence, set: { failure } });
  const asked = { what: "task", id: lease.task ?? "", by: "give_up", from: "running", fence } as const;
  await change(database, { ...asked, set: { detail: said }, data: { message: said } });
  expect(await findRun(database, id)).toMatchObject({ session: kept, failure: { message: kept } });
  expect(await findTask(database, lease.task ?? "")).toMatchObject({ detail: kept });
  const { items } = await listEvents(database, { loop: loop.id });
  expect(items.at(-1)).toMatchObject({ type: "task.give_up", data: { message: kept } });
});

it("lists of texts are texts", async () => {
  expect((await database.query("select $1::text[] as t", [[said]])).rows).toEqual([{ t: [kept] }]);
});
