import { execFileSync, spawn } from "node:child_process";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

/*
 * What a project's tests do inside a sandbox: use the database and the cache whose addresses they are given, and a
 * database of their own on localhost. Prints what each of them said.
 */
const [bin = "", data = "", forbidden = ""] = process.argv.slice(2);
const report = {
  given: await dataFolder(process.env["DATABASE_URL"] ?? ""),
  redis: await ping(process.env["REDIS_URL"] ?? ""),
  own: await withOwnDatabase(() => dataFolder("postgres://postgres@localhost:5432/postgres")),
  givenAgain: await dataFolder(process.env["DATABASE_URL"] ?? ""),
  forbidden: await ping(`http://host.docker.internal:${forbidden}`),
  urls: [process.env["DATABASE_URL"], process.env["REDIS_URL"]],
};
process.stdout.write(JSON.stringify(report));

async function dataFolder(connectionString: string): Promise<string> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000 });
  await client.connect();
  const { rows } = await client.query<{ folder: string }>(
    "select current_setting('data_directory') as folder",
  );
  await client.end();
  return rows[0]?.folder ?? "";
}

async function withOwnDatabase<T>(use: () => Promise<T>): Promise<T> {
  execFileSync(`${bin}/initdb`, ["-D", data, "-U", "postgres", "-A", "trust", "-N"], { stdio: "ignore" });
  const server = spawn(`${bin}/postgres`, ["-D", data, "-k", data, "-c", "listen_addresses=localhost"], {
    stdio: "ignore",
  });
  try {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await use();
      } catch (error) {
        if (attempt > 100) throw error;
        await sleep(50);
      }
    }
  } finally {
    server.kill("SIGINT");
  }
}

/** The first bytes of what a server answers to PING. */
function ping(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.write("PING\r\n\r\n"));
    socket.setTimeout(3_000, () => socket.destroy(new Error("silent")));
    socket.once("data", (answer: Buffer) => {
      resolve(answer.toString("latin1").slice(0, 5));
      socket.destroy();
    });
    socket.once("error", (error) => resolve(`error: ${error.message}`));
    socket.once("close", () => resolve("closed"));
  });
}
