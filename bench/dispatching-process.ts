import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { Dispatcher, openPlace } from "@opentiger/orchestrator";

/** A dispatcher in a process of its own. Whoever writes a line to it is told how many MB it takes; it ends with its stdin. */
const place = await openPlace(process.env, {
  program: "bench dispatcher",
  log: (line) => process.stderr.write(`${line}\n`),
});
const dispatcher = Dispatcher.start(place);
console.log("it runs");
for await (const _ of createInterface(process.stdin)) console.log(await settledMegabytes());
await dispatcher.stop();
await place.close();

/** What is left when garbage is gone. */
async function settledMegabytes(): Promise<number> {
  for (let round = 0; round < 5; round += 1) {
    globalThis.gc?.();
    await sleep(50);
  }
  return process.memoryUsage().rss / 1024 / 1024;
}
