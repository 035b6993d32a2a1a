import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, describe, expect, it } from "vitest";
import { temporaryInstance } from "../../packages/orchestrator/src/fixture/temporary-database.ts";
import {
  abandonedInstances,
  removeAbandoned,
} from "../../packages/orchestrator/src/state/postgres/abandoned.ts";
import { EmbeddedPostgres } from "../../packages/orchestrator/src/state/postgres/embedded-postgres.ts";
import { socketPath } from "../../packages/orchestrator/src/state/postgres/pid-files.ts";
import { probe } from "../../packages/orchestrator/src/state/postgres/probe.ts";
import { processesOn } from "../../packages/orchestrator/src/state/postgres/processes.ts";
import { isRoot } from "../setup/temporary-workspace.ts";
import { until } from "../setup/until.ts";

const instance = temporaryInstance();
const { postgres, home, env } = instance;
const { place } = postgres;
const neighbour = temporaryInstance();

afterAll(async () => {
  await instance.remove();
  await neighbour.remove();
});

describe("a cold start", () => {
  it("by many at the same time makes one database and one server", async () => {
    expect(await postgres.status()).toEqual({ state: "none" });
    await Promise.all([1, 2, 3].map(() => new EmbeddedPostgres(env).ensure()));
    expect(await postgres.status()).toMatchObject({ state: "running", ready: true, data: place.data });
    await ask("create table kept (n int)");
    await ask("insert into kept values (1)");
  });

  it("says in its log nothing but its own messages, in a session that no Ctrl-C reaches", async () => {
    const pid = await serverPid();
    expect(sessionOf(pid)).toBe(pid);
    expect(readFileSync(place.log, "utf8")).toContain("ready to accept connections");
    expect(statSync(place.log).mode & 0o777).toBe(0o600);
  });

  it("listens on no port, and nobody else can enter the folders of its socket and its data", async () => {
    expect(await ask("select current_setting('listen_addresses') as answer")).toBe("");
    for (const folder of [place.socketFolder, place.data]) expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(Buffer.byteLength(socketPath(place))).toBeLessThanOrEqual(107);
  });

  it("lets nobody in without the password, which only its owner can read", async () => {
    const ways = await ask("select string_agg(distinct auth_method, ',') as answer from pg_hba_file_rules");
    expect(ways).toBe("scram-sha-256");
    expect(statSync(place.passwordFile).mode & 0o777).toBe(0o600);
    const stranger = new Client({ ...postgres.connection, password: "guessed" });
    await expect(stranger.connect()).rejects.toMatchObject({ code: "28P01" });
  });

  it("is another server with other data for another state folder", async () => {
    await neighbour.postgres.ensure();
    expect(neighbour.postgres.place.data).not.toBe(place.data);
    const own = await ask("select system_identifier::text as answer from pg_control_system()");
    const theirs = await askOf(
      neighbour.postgres,
      "select system_identifier::text as answer from pg_control_system()",
    );
    expect(theirs).not.toBe(own);
    await neighbour.postgres.remove();
    expect(await ask("select n as answer from kept")).toBe(1);
  });
});

describe("a server that runs", () => {
  it("is adopted by the next process", async () => {
    const before = await serverPid();
    await new EmbeddedPostgres(env).ensure();
    expect(await serverPid()).toBe(before);
  });

  it("is not taken for ours when it has other data", async () => {
    const elsewhere = join(home, "elsewhere");
    cpSync(place.data, elsewhere, { recursive: true });
    const pid = await serverPid();
    expect(await probe({ ...place, data: elsewhere })).toEqual({ kind: "foreign", data: place.data, pid });
  });

  it("is not taken for ours when its folder was replaced: it still works in the old one", async () => {
    const pid = await serverPid();
    renameSync(place.data, `${place.data}.old`);
    try {
      cpSync(`${place.data}.old`, place.data, { recursive: true });
      await expect(postgres.ensure()).rejects.toMatchObject({
        code: "database_unavailable",
        remedy: `end it and try again: kill -INT ${pid}`,
      });
    } finally {
      rmSync(place.data, { recursive: true, force: true });
      renameSync(`${place.data}.old`, place.data);
    }
    await postgres.ensure();
    expect(await serverPid()).toBe(pid);
  });

  it("is started anew when its socket was removed: nobody could reach it any more", async () => {
    const before = await serverPid();
    rmSync(socketPath(place));
    await postgres.ensure();
    expect(await serverPid()).not.toBe(before);
    expect(await ask("select n as answer from kept")).toBe(1);
  });

  it("does not let in who lost the password, and says which file to put back", async () => {
    const kept = readFileSync(place.passwordFile, "utf8");
    const failure = { code: "database_unavailable", remedy: expect.stringContaining(place.passwordFile) };
    try {
      writeFileSync(place.passwordFile, "0".repeat(64));
      await expect(postgres.ensure()).rejects.toMatchObject(failure);
      rmSync(place.passwordFile);
      await expect(postgres.ensure()).rejects.toMatchObject(failure);
    } finally {
      writeFileSync(place.passwordFile, kept, { mode: 0o600 });
    }
    await postgres.ensure();
  });
});

describe("a server that was killed", () => {
  it("is started again at once, although its own processes still end", async () => {
    const pid = await serverPid();
    process.kill(pid, "SIGKILL");
    await postgres.ensure();
    expect(await serverPid()).not.toBe(pid);
    expect(await ask("select n as answer from kept")).toBe(1);
  });

  it("is started again although one of its processes did not notice its end, which is ended first", async () => {
    const busy = new Client({ ...postgres.connection, application_name: "busy" });
    busy.on("error", () => {});
    await busy.connect();
    const counting = busy.query("select count(*) from generate_series(1, 1000000000)").catch(() => "cut off");
    const active =
      "select count(*)::int as answer from pg_stat_activity where application_name = 'busy' and state = 'active'";
    await until("it counts", async () => (await ask(active)) === 1);
    process.kill(await serverPid(), "SIGKILL");
    await postgres.ensure();
    expect(await counting).toBe("cut off");
    expect(await ask("select n as answer from kept")).toBe(1);
  });

  it("and whose number another process of the same user has by now, is started again", async () => {
    await postgres.stop();
    const { uid, gid } = statSync(place.data);
    const other = spawn("cat", { uid, gid, cwd: "/", stdio: ["pipe", "ignore", "ignore"] });
    await once(other, "spawn");
    try {
      writeFileSync(join(place.data, "postmaster.pid"), `${other.pid}\n${place.data}\n1\n5432\n`);
      writeFileSync(`${socketPath(place)}.lock`, `${other.pid}\n${place.data}\n1\n5432\n`);
      await postgres.ensure();
      expect(await ask("select n as answer from kept")).toBe(1);
      expect(other.exitCode).toBeNull();
    } finally {
      other.kill();
    }
  });
});

describe("stopping", () => {
  it.each(["fast", "immediate"] as const)(
    "%s leaves no process, loses nothing, and is told",
    async (mode) => {
      await postgres.ensure();
      expect(await postgres.stop(mode)).toBe(true);
      expect(processesOn(place.data)).toEqual([]);
      expect(await postgres.status()).toEqual({ state: "stopped", data: place.data });
      expect(await postgres.stop(mode)).toBe(false);
      await postgres.ensure();
      expect(await ask("select n as answer from kept")).toBe(1);
    },
  );

  it("data of another major version are refused with what to do, and left alone", async () => {
    await postgres.stop();
    const path = join(place.data, "PG_VERSION");
    const own = readFileSync(path, "utf8");
    writeFileSync(path, "9\n");
    await expect(postgres.ensure()).rejects.toMatchObject({
      code: "database_other_version",
      message: expect.stringContaining("PostgreSQL 9"),
      remedy: expect.stringContaining("OPENTIGER_DATABASE_URL"),
    });
    writeFileSync(path, own);
  });

  it("a start that was given up leaves nothing half made", async () => {
    await expect(postgres.ensure({ signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow(
      "enough",
    );
    await postgres.ensure();
  });

  it.skipIf(!isRoot)(
    "is done for an instance whose state folder is gone; its data stay until somebody asks",
    async () => {
      await postgres.ensure();
      const lost = temporaryInstance();
      await lost.postgres.ensure();
      rmSync(lost.home, { recursive: true });
      expect(abandonedInstances()).toContain(lost.postgres.place.folder);
      await postgres.stop();
      await postgres.ensure();
      expect(processesOn(lost.postgres.place.data)).toEqual([]);
      expect(existsSync(lost.postgres.place.data)).toBe(true);
      expect(await removeAbandoned(lost.postgres.place.folder)).toBe(true);
      expect(existsSync(lost.postgres.place.folder)).toBe(false);
      expect(await removeAbandoned(place.folder)).toBe(false);
      expect(await ask("select n as answer from kept")).toBe(1);
    },
  );

  it.skipIf(!isRoot)("is left to its owner by those who start others at the same moment", async () => {
    await postgres.ensure();
    const pid = await serverPid();
    const starter = fork(new URL("./postgres-restarter.ts", import.meta.url), [home], {
      execArgv: ["--import", "tsx"],
    });
    try {
      await once(starter, "message");
      for (let look = 0; look < 2_000; look++) expect(abandonedInstances()).not.toContain(place.folder);
    } finally {
      starter.kill();
    }
    await neighbour.postgres.stop();
    await neighbour.postgres.ensure();
    expect(await serverPid()).toBe(pid);
  });

  it("removing takes the data, the socket, the password and the log", async () => {
    await postgres.remove();
    const paths = [place.folder, place.socketFolder, place.passwordFile, place.log];
    expect(paths.filter((path) => existsSync(path))).toEqual([]);
    expect(await postgres.status()).toEqual({ state: "none" });
  });
});

async function serverPid(): Promise<number> {
  const status = await postgres.status();
  if (status.state !== "running") throw new Error(`the server is ${status.state}`);
  return status.pid;
}

function ask(statement: string): Promise<unknown> {
  return askOf(postgres, statement);
}

async function askOf(server: EmbeddedPostgres, statement: string): Promise<unknown> {
  const client = new Client(server.connection);
  await client.connect();
  try {
    const { rows } = await client.query<{ answer: unknown }>(statement);
    return rows[0]?.answer;
  } finally {
    await client.end();
  }
}

/** Of who began one, it is the process's own number. */
function sessionOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return Number(fields[3]);
}
