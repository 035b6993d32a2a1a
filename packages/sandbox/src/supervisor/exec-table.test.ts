import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { until } from "../../../../tests/setup/until.ts";
import type { Exec } from "./exec.ts";
import { ExecTable } from "./exec-table.ts";
import { Launcher } from "./launch.ts";

const mebibyte = 1024 * 1024;
/** Of running and of finished execs: what their spools may hold together, and a pipe read beyond it. */
const bound = 33 * mebibyte;
let table: ExecTable;

beforeEach(() => {
  table = new ExecTable(
    new Launcher({
      isolation: "none",
      agentUid: process.getuid?.() ?? 0,
      agentGid: process.getgid?.() ?? 0,
      home: tmpdir(),
      workDir: tmpdir(),
      carrierDir: null,
      controlSocket: null,
      prepare: null,
    }),
  );
});

afterEach(async () => {
  await Promise.all(table.list().map(({ id }) => table.signal(id, "SIGKILL").catch(() => {})));
});

describe("the output of all execs that nobody reads", () => {
  it("is bounded together, not only one by one, and a command that says little is not kept from it", async () => {
    const floods = await openFloods();
    await standsStill();
    expect(held()).toBeLessThan(bound);
    for (const exec of floods) expect(exec.spool.bytes).toBeGreaterThanOrEqual(64 * 1024);

    const { exec: small } = await table.open({ id: "small-one", command: ["seq", "1000"] });
    await until("the small one has ended", () => small.exit !== null);
    expect(small.exit).toMatchObject({ code: 0 });
    expect(small.spool.written.stdout).toBe(3893);
  });

  it("goes on in one when another one is read", async () => {
    const floods = await openFloods();
    await standsStill();
    const waiting = floods.find((exec) => exec.spool.bytes < 7 * mebibyte);
    const read = floods.find((exec) => exec !== waiting);
    if (!waiting || !read) throw new Error("no flood waits for another");
    await read.signal("SIGSTOP");
    const before = waiting.spool.written.stdout;
    read.acknowledge("stdout", read.spool.written.stdout);
    await until("it goes on", () => waiting.spool.written.stdout > before);
  });

  it("of finished ones makes room for the newest: that they ended stays known, a part is not given for the whole", async () => {
    const command = ["head", "-c", String(7 * mebibyte), "/dev/zero"];
    for (let index = 0; index < 7; index += 1) {
      const { exec } = await table.open({ id: `finished-${index}`, command });
      await until("it has ended", () => exec.exit !== null);
    }
    const [oldest, newest] = [await table.get("finished-0"), await table.get("finished-6")];
    const execs = await Promise.all(table.list().map(({ id }) => table.get(id)));
    expect(execs.reduce((sum, { spool }) => sum + spool.bytes, 0)).toBeLessThan(bound);
    expect(oldest.exit).toMatchObject({ code: 0 });
    expect(oldest.spool.holds({ stdout: 0, stderr: 0 })).toBe(false);
    expect(oldest.spool.holds({ stdout: 7 * mebibyte, stderr: 0 })).toBe(true);
    expect(newest.spool.holds({ stdout: 0, stderr: 0 })).toBe(true);
  });
});

describe("an exec that is opened twice at the same time", () => {
  it("is started once", async () => {
    const spec = { id: "opened-twice", command: ["sleep", "30"] };
    const [first, second] = await Promise.all([table.open(spec), table.open(spec)]);
    expect(first.exec).toBe(second.exec);
    expect([first.resumed, second.resumed]).toEqual([false, true]);
  });
});

/** Six, of which each alone could hold more than a sixth of what all may. */
async function openFloods(): Promise<Exec[]> {
  const opening = Array.from({ length: 6 }, (_, index) =>
    table.open({ id: `flooding-${index}`, command: ["yes"] }),
  );
  return (await Promise.all(opening)).map(({ exec }) => exec);
}

function held(): number {
  return table.list().reduce((sum, { stdout }) => sum + stdout, 0);
}

async function standsStill(): Promise<void> {
  let last = -1;
  await until("nothing more is kept", async () => {
    const before = last;
    last = held();
    await sleep(50);
    return last > 0 && last === before;
  });
}
