import { setTimeout as sleep } from "node:timers/promises";
import { collect } from "@opentiger/sandbox";
import { type Series, summarise } from "./measure.ts";
import type { Place } from "./place.ts";

/** Between two starts of the staggered series. */
const staggerMs = 200;

/**
 * ComputeSDK's way of measuring sandboxes: create one and run `node -v` in it; one after the other, staggered, and
 * all at once; median, p95 and how many succeeded.
 */
export async function burst(place: Place, count: number): Promise<string> {
  let made = 0;
  const sequential = await measure("sequential", async (each) => {
    for (let round = 0; round < count; round += 1) await each();
  });
  const staggered = await measure("staggered", async (each) => {
    const started: Promise<void>[] = [];
    for (let round = 0; round < count; round += 1) {
      started.push(each());
      await sleep(staggerMs);
    }
    await Promise.all(started);
  });
  const atOnce = await measure("burst", async (each) => {
    await Promise.all(Array.from({ length: count }, each));
  });
  return render([sequential, staggered, atOnce], count);

  async function measure(
    name: string,
    pattern: (each: () => Promise<void>) => Promise<void>,
  ): Promise<Series> {
    const times: number[] = [];
    const names: string[] = [];
    let failures = 0;
    await pattern(async () => {
      made += 1;
      const sandboxName = `bench-tti-${made}`;
      const start = performance.now();
      try {
        const sandbox = await place.backend.create({
          name: sandboxName,
          agent: "shell",
          workspaces: [place.workspace],
        });
        names.push(sandboxName);
        const { exit } = await collect(await sandbox.exec(["node", "-v"]));
        await sandbox.close();
        if (exit.code !== 0) throw new Error(`exit ${exit.code}`);
        times.push(performance.now() - start);
      } catch (error) {
        failures += 1;
        process.stderr.write(`${sandboxName}: ${String(error)}\n`);
      }
    });
    await Promise.all(names.map((each) => place.backend.remove(each)));
    return summarise(name, times, failures);
  }
}

function render(series: readonly Series[], count: number): string {
  const rows = series.map(
    ({ name, p50, p95, runs, failures }) =>
      `| ${name} | ${p50.toFixed(0)} | ${p95.toFixed(0)} | ${((100 * runs) / (runs + failures)).toFixed(0)} % |`,
  );
  return [
    `### create → \`node -v\`, ${count} sandboxes`,
    "",
    "| pattern | median ms | p95 ms | success |",
    "|---|---:|---:|---:|",
    ...rows,
    "",
  ].join("\n");
}
