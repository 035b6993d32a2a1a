import { mkdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type TemporaryDatabase, temporaryDatabase } from "../fixture/temporary-database.ts";
import { releaseDatabase } from "../state/instance.ts";
import { openPlace } from "./open-place.ts";

let instance: TemporaryDatabase;

beforeAll(async () => {
  instance = await temporaryDatabase();
  // Whichever it is: the same database for all of them.
  const { OPENTIGER_DATABASE_URL: url } = instance.env;
  if (url === undefined) throw new Error("unit tests share a server");
});

afterAll(() => instance.remove());

/** Opens the database from another state folder below the instance's own. */
async function openFrom(folder: string): Promise<string> {
  const home = join(instance.home, folder);
  mkdirSync(home, { recursive: true });
  const place = await openPlace({ ...instance.env, OPENTIGER_HOME: home }, { program: "test" });
  await place.close();
  return home;
}

it("a database is that of the state folder that opened it first, and of that folder wherever it is moved to", async () => {
  const first = await openFrom("first");
  await expect(openFrom("other")).rejects.toMatchObject({
    code: "database_refused",
    message: expect.stringContaining(first) as string,
    remedy: expect.stringContaining(`OPENTIGER_HOME=${first}`) as string,
  });
  await openFrom("first");
  renameSync(first, join(instance.home, "moved"));
  const moved = await openFrom("moved");
  await expect(openFrom("other")).rejects.toMatchObject({
    message: expect.stringContaining(moved) as string,
  });
});

it("of several that open it for the first time at once, one has it", async () => {
  const database = await instance.open();
  await database.query("delete from instance");
  const tried = await Promise.allSettled(["a", "b", "c"].map(openFrom));
  expect(tried.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected", "rejected"]);
});

it("a database whose instance is uninstalled is the next one's", async () => {
  const database = await instance.open();
  await database.query("delete from instance");
  const first = await openFrom("first");
  await releaseDatabase(database, readFileSync(join(first, "instance"), "utf8").trim());
  await openFrom("next");
});
