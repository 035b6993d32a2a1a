import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, expect, it } from "vitest";
import { endFile } from "../../../../tests/setup/at-end.ts";
import { bundledProgram } from "../../../../tests/setup/bundled-program.ts";
import { until } from "../../../../tests/setup/until.ts";
import { temporaryDatabase } from "../fixture/temporary-database.ts";
import { DispatcherClient } from "./dispatcher-client.ts";

const idleMs = 2_000;
const instance = await temporaryDatabase();
const client = new DispatcherClient(instance.env);

afterAll(async () => {
  await client.stop();
  await instance.remove();
  await endFile();
});

/** As a process, with its log. */
async function started(...words: string[]) {
  const bundle = await bundledProgram(new URL("../main.ts", import.meta.url));
  const env = { ...process.env, ...instance.env };
  const child = spawn(process.execPath, [bundle, ...words], { env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
  const ended = once(child, "exit");
  await until("it claims", async () => (await client.status())?.ready);
  return { ended, said: () => said };
}

it("a dispatcher whose database a newer program has changed claims nothing more, says why and ends", async () => {
  const database = await instance.open();
  const { ended, said } = await started("--idle", "600");
  await database.query(
    "insert into migrations (version, name, checksum, program) values (1000, 'later', '', '99.0.0')",
  );
  try {
    expect(await ended).toEqual([0, null]);
    expect(said()).toContain("the database was changed by openTiger 99.0.0 (step 1000, later)");
  } finally {
    await database.query("delete from migrations where version = 1000");
  }
});

it("a dispatcher with a setting that cannot be used does not start, and says which and why", async () => {
  const bundle = await bundledProgram(new URL("../main.ts", import.meta.url));
  const env = { ...process.env, ...instance.env, OPENTIGER_MAX_WORKERS: "0" };
  const child = spawn(process.execPath, [bundle], { env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (part: Buffer) => (said += part.toString()));
  expect(await once(child, "close")).toEqual([1, null]);
  expect(said).toContain("OPENTIGER_MAX_WORKERS must be");
  expect(await client.status()).toBeUndefined();
});

it("a dispatcher without work stays while somebody asks after it, and ends when nobody does", async () => {
  const bundle = await bundledProgram(new URL("../main.ts", import.meta.url));
  const words = [bundle, "--idle", String(idleMs / 1_000)];
  const child = spawn(process.execPath, words, { env: { ...process.env, ...instance.env }, stdio: "ignore" });
  const ended = once(child, "exit");
  await until("it claims", async () => (await client.status())?.ready);

  const begun = performance.now();
  const seen = await until("it was asked for much longer than it is idle", async () => {
    const status = await client.status();
    return status === undefined || performance.now() - begun > 3 * idleMs ? { status } : undefined;
  });
  expect(seen.status?.pid).toBe(child.pid);

  expect(await ended).toEqual([0, null]);
});
