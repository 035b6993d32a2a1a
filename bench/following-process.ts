import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { commandDriver, runAgent } from "@opentiger/agents";
import { HostBackend } from "@opentiger/sandbox";

/** Follows so many runs at once in a process of its own, and prints what each adds to its memory, in MB. */
const [name = "", folder = "", count = "0"] = process.argv.slice(2);
/** A few events each, so that everything that a run needs is there. */
const script = "for i in 1 2 3 4 5; do echo event $i; done; exec sleep 600";

const sandbox = await new HostBackend().open(name);
const runs = [await start()];
const before = await settledMegabytes();
for (let started = 0; started < Number(count); started += 1) runs.push(await start());
const after = await settledMegabytes();
console.log((after - before) / Number(count));
await Promise.all(runs.map((run) => run.cancel()));
await sandbox.close();

async function start() {
  const id = randomUUID();
  const run = await runAgent({
    id,
    driver: commandDriver({ command: ["sh", "-c", script] }),
    sandbox,
    cwd: folder,
    transcript: join(folder, `${id}.transcript`),
    task: {
      prompt: "",
      instructions: [],
      projectSettings: "ignored",
      permissions: { kind: "full" },
      session: { kind: "new", id },
    },
  });
  const events = run.events[Symbol.asyncIterator]();
  for (let heard = 0; heard < 5; heard += 1) await events.next();
  return run;
}

/** What is left when garbage is gone. */
async function settledMegabytes(): Promise<number> {
  for (let round = 0; round < 5; round += 1) {
    globalThis.gc?.();
    await sleep(50);
  }
  return process.memoryUsage().rss / 1024 / 1024;
}
