import { beforeAll, describe, expect, test } from "vitest";
import type { Sandbox } from "../../packages/sandbox/src/sandbox.ts";
import { fullSize, fullSizeTimeout } from "../setup/full-size.ts";
import { runIn } from "../setup/place.ts";
import { newInstance, newSandbox } from "../setup/sandbox.ts";
import { temporaryWorkspace } from "../setup/temporary-workspace.ts";
import { until } from "../setup/until.ts";

const mebibyte = 1024 * 1024;
const wanted = fullSize.outputMegabytes * mebibyte;
/** Both processes may buffer, collect garbage late and grow their heaps; neither may grow with the output. */
const clientGrowth = 150 * mebibyte;
const supervisorSize = 160 * mebibyte;
const spoolSize = 8 * mebibyte;
let flooded: Sandbox;
let second: Sandbox;

beforeAll(async () => {
  const instance = await newInstance();
  flooded = await newSandbox(instance, temporaryWorkspace());
  second = await newSandbox(instance, temporaryWorkspace());
});

describe("attack 32 output without end", () => {
  test(
    `${wanted / mebibyte} MB that are read come whole and in order, and pile up nowhere`,
    async () => {
      const before = process.memoryUsage.rss();
      let largest = { client: 0, supervisor: 0 };
      const look = async () => {
        const client = Math.max(largest.client, process.memoryUsage.rss() - before);
        largest = { client, supervisor: Math.max(largest.supervisor, await supervisorBytes(flooded)) };
      };
      const execution = await flooded.exec(["yes", "0123456789abcdef"]);
      let received = 0;
      for await (const { offset, data } of execution.output()) {
        expect(offset).toBe(received);
        if (data[0] !== expectedByte(received)) throw new Error(`byte ${received} is another one`);
        received += data.length;
        if (received >= wanted) break;
        if (received % (64 * mebibyte) < data.length) {
          await look();
          await expectAnswer(second);
        }
      }
      await execution.kill();
      expect(largest.client).toBeLessThan(clientGrowth);
      expect(largest.supervisor).toBeLessThan(supervisorSize);
    },
    fullSizeTimeout,
  );

  test("that nobody reads stops the writer, and nothing else", async () => {
    const execution = await flooded.exec(["yes"]);
    await expectBlocked(execution.id);
    execution.detach();
    await expectBlocked(execution.id);
    expect(await supervisorBytes(flooded)).toBeLessThan(supervisorSize);
    await expectAnswer(flooded);
    await expectAnswer(second);
    await (await flooded.attach(execution.id)).kill();
    await until("it has ended", async () => (await infoOf(execution.id))?.exit);
  });

  test("of many commands at once that nobody reads is bounded for all of them together", async () => {
    const floods = await Promise.all(Array.from({ length: 12 }, () => flooded.exec(["yes"])));
    for (const { id } of floods) await expectBlocked(id);
    expect(await supervisorBytes(flooded)).toBeLessThan(supervisorSize);
    const held = await Promise.all(floods.map(async ({ id }) => (await infoOf(id))?.stdout ?? 0));
    expect(held.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(5 * spoolSize);
    await expectAnswer(flooded);
    for (const flood of floods) await flood.kill();
    for (const { id } of floods) await until("it has ended", async () => (await infoOf(id))?.exit);
    await expectAnswer(flooded);
  });
});

function expectedByte(offset: number): number {
  return "0123456789abcdef\n".charCodeAt(offset % 17);
}

/** The count of what was written stands still for several looks, and is within spool and pipes. */
async function expectBlocked(id: string): Promise<void> {
  let last = -1;
  let looks = 0;
  await until("the writer is blocked", async () => {
    const now = (await infoOf(id))?.stdout ?? 0;
    looks = now === last && now > 0 ? looks + 1 : 0;
    last = now;
    return looks >= 5;
  });
  expect(last).toBeLessThan(2 * spoolSize);
}

async function infoOf(id: string) {
  return (await flooded.execs()).find((exec) => exec.id === id);
}

async function supervisorBytes(sandbox: Sandbox): Promise<number> {
  const { processes } = await sandbox.stats();
  const found = processes.find(({ pid, command }) => pid !== 1 && command.includes("supervisor.cjs serve"));
  if (!found) throw new Error("the supervisor is not among its own processes");
  return found.rssBytes;
}

async function expectAnswer(sandbox: Sandbox): Promise<void> {
  expect((await runIn(sandbox, ["echo", "here"])).stdout).toBe("here\n");
}
