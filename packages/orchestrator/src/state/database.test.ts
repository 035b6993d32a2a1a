import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { until } from "../../../../tests/setup/until.ts";
import { temporaryInstance } from "../fixture/temporary-database.ts";
import type { Database } from "./database.ts";
import type { Wake } from "./notifications.ts";
import { openDatabase } from "./open-database.ts";
import { allRows, firstRow } from "./rows.ts";

const instance = temporaryInstance();

let database: Database;

beforeAll(async () => {
  database = await instance.open({ program: "first" });
  await database.query("create table numbers (n int primary key)");
});

afterAll(() => instance.remove());

describe("opening", () => {
  it("brings the tables, and says who is connected", async () => {
    expect((await database.query("select count(*) as rows from system_config")).rows).toEqual([{ rows: 0 }]);
    const row = z.object({ name: z.string() });
    expect(await firstRow(database, row, "select current_setting('application_name') as name")).toEqual({
      name: "opentiger first",
    });
  });

  it("uses the database that OPENTIGER_DATABASE_URL names, in a schema of its own", async () => {
    await database.query("create database shared");
    const shared = await openDatabase({ env: { OPENTIGER_DATABASE_URL: ownUrl("shared") }, program: "test" });
    try {
      expect(shared.route).toMatchObject({
        kind: "url",
        where: `${instance.postgres.place.socketFolder}/shared`,
      });
      const found = await shared.query(
        "select table_schema as schema from information_schema.tables where table_name = 'system_config'",
      );
      expect(found.rows).toEqual([{ schema: "opentiger" }]);
    } finally {
      await shared.close();
    }
  });

  it("of a server that is not there, or does not let us in, fails with a remedy and without the password", async () => {
    const absent = await failureOf("postgres://opentiger:hidden@127.0.0.1:1/nowhere");
    expect(absent).toMatchObject({
      code: "database_unavailable",
      remedy: expect.stringContaining("it runs"),
    });
    const { host } = instance.postgres.connection;
    const refusing = await failureOf(`postgres://opentiger:hidden@/postgres?host=${host}`);
    expect(refusing).toMatchObject({
      code: "database_unavailable",
      remedy: expect.stringContaining("password"),
    });
    const missing = await failureOf(`${ownUrl("none")}`);
    expect(missing).toMatchObject({
      code: "database_unavailable",
      remedy: expect.stringContaining("createdb"),
    });
    for (const failure of [absent, refusing]) {
      expect(JSON.stringify(failure) + String(failure)).not.toContain("hidden");
    }
  });

  it("of a replica is refused", async () => {
    await database.query("create database replica");
    await database.query("alter database replica set default_transaction_read_only = on");
    expect(await failureOf(ownUrl("replica"))).toMatchObject({ code: "database_refused" });
  });
});

describe("rows", () => {
  it("that have another form than expected are an error that says which statement it was", async () => {
    const asking = allRows(database, z.object({ n: z.string() }), "select 1 as n");
    await expect(asking).rejects.toMatchObject({
      code: "internal",
      message: expect.stringContaining("select 1 as n"),
    });
  });

  it("hold whole numbers as numbers, and never a rounded one", async () => {
    expect((await database.query("select 9007199254740991::bigint as n")).rows).toEqual([
      { n: 9007199254740991 },
    ]);
    await expect(database.query("select 9007199254740993::bigint as n")).rejects.toThrow("larger");
    expect((await database.query("select 1::bigint as n")).rows).toEqual([{ n: 1 }]);
  });
});

describe("a transaction", () => {
  it("does all or nothing", async () => {
    const failing = database.transaction(async (connection) => {
      await connection.query("insert into numbers values (1)");
      throw new Error("changed my mind");
    });
    await expect(failing).rejects.toThrow("changed my mind");
    expect(await numbers()).toEqual([]);
    await database.transaction((connection) => connection.query("insert into numbers values (1)"));
    expect(await numbers()).toEqual([1]);
  });

  it("passes on what its own work throws, whatever that looks like", async () => {
    const failure = Object.assign(new Error("no such file"), { code: "ENOENT" });
    await expect(database.transaction(() => Promise.reject(failure))).rejects.toBe(failure);
  });

  it("that collided with another is run again, so that both are done", async () => {
    const meet = barrier(2);
    const add = (own: number, other: number) => {
      let tries = 0;
      return database.transaction(async (connection) => {
        tries += 1;
        await connection.query("set transaction isolation level serializable");
        await connection.query("select count(*) from numbers where n in ($1, $2)", [own, other]);
        if (tries === 1) await meet();
        await connection.query("insert into numbers values ($1)", [own]);
        return tries;
      });
    };
    const tries = await Promise.all([add(10, 11), add(11, 10)]);
    expect(Math.max(...tries)).toBeGreaterThan(1);
    expect(await numbers()).toEqual([1, 10, 11]);
  });

  it("a statement that is refused says what PostgreSQL says", async () => {
    await expect(database.query("insert into numbers values (1)")).rejects.toMatchObject({ code: "23505" });
  });
});

describe("notifications", () => {
  it("wake at once, after a lost connection, and from time to time", async () => {
    const listener = await instance.open({ program: "listener", notifications: { pollMs: 200 } });
    const woken: Wake[] = [];
    const leave = listener.notifications.subscribe("news", (wake) => woken.push(wake));
    await until("it listens", () => woken.some(({ kind }) => kind === "connected"));
    await database.query("select pg_notify('news', 'first')");
    await until("it is told", () =>
      woken.some((wake) => wake.kind === "notified" && wake.payload === "first"),
    );

    woken.length = 0;
    const cut =
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'opentiger listener'";
    await database.query(cut);
    await until("it listens again", () => woken.some(({ kind }) => kind === "connected"));
    await database.query("select pg_notify('news', 'second')");
    await until("it is told again", () => woken.some((wake) => wake.kind === "notified"));
    await until("it is woken in any case", () => woken.some(({ kind }) => kind === "polled"));

    leave();
    woken.length = 0;
    const late: Wake[] = [];
    listener.notifications.subscribe("other_news", (wake) => late.push(wake));
    await until("a channel that came later is listened to", () =>
      late.some(({ kind }) => kind === "connected"),
    );
    await database.query("select pg_notify('news', 'third'), pg_notify('other_news', 'fourth')");
    await until("it is told", () =>
      late.some((wake) => wake.kind === "notified" && wake.payload === "fourth"),
    );
    expect(woken).toEqual([]);
  });

  it("refuse a channel whose name would have to be quoted", () => {
    expect(() => database.notifications.subscribe('x"; drop', () => {})).toThrow(RangeError);
  });
});

describe("closing", () => {
  it("ends the process's connections and leaves the server to others", async () => {
    const other: Database = await instance.open({ program: "leaving" });
    other.notifications.subscribe("news", () => {});
    await other.close();
    const left = "select count(*) as n from pg_stat_activity where application_name = 'opentiger leaving'";
    await until("it has left", async () => {
      const [row] = (await database.query(left)).rows;
      return z.object({ n: z.number() }).parse(row).n === 0;
    });
    expect(await instance.postgres.status()).toMatchObject({ state: "running" });
  });
});

async function numbers(): Promise<number[]> {
  const rows = await allRows(database, z.object({ n: z.number() }), "select n from numbers order by n");
  return rows.map(({ n }) => n);
}

/** The embedded server, as if it were one of the user's own. */
function ownUrl(name: string): string {
  const { host, port, user, password } = instance.postgres.connection;
  return `postgres://${user}:${password}@/${name}?host=${host}&port=${port}`;
}

async function failureOf(url: string): Promise<unknown> {
  const opening = openDatabase({ env: { OPENTIGER_DATABASE_URL: url }, program: "test" });
  return opening.then((opened) => opened.close()).catch((error: unknown) => error);
}

/** Everybody waits until so many have come. */
function barrier(count: number): () => Promise<void> {
  let come = 0;
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return () => {
    come += 1;
    if (come === count) open();
    return opened;
  };
}
