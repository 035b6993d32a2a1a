import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Camera } from "./camera.ts";
import { startWorld } from "./world.ts";

/** `npm run screenshots [-- --docs]`: every page, empty and full, light and dark, on a desk and on a phone. */
const folder = fileURLToPath(new URL("../../.cache/screenshots", import.meta.url));
const documents = fileURLToPath(new URL("../../docs/images", import.meta.url));

/** What README and docs show. */
const shown = ["overview", "loop", "run", "sandbox", "system"];

const lists = {
  overview: "/",
  loops: "/loops",
  "new-loop": "/loops/new",
  sandboxes: "/sandboxes",
  system: "/system",
  secrets: "/secrets",
  usage: "/usage",
  judgements: "/judgements",
  agents: "/agents",
  audit: "/audit",
};

rmSync(folder, { recursive: true, force: true });
const world = await startWorld();
const complaints: string[] = [];
const camera = await Camera.open({ ...world, folder });
try {
  for (const [name, path] of Object.entries(lists))
    complaints.push(...(await camera.take(join("empty", name), path)));
  say("a loop runs, so that there is something to see");
  await world.fill();
  for (const [name, path] of Object.entries({ ...lists, ...(await details()) }))
    complaints.push(...(await camera.take(join("full", name), path)));
} finally {
  await camera.close();
  await world.close();
}
if (process.argv.includes("--docs")) keepForDocuments();
say(`in ${folder}`);
for (const complaint of complaints) say(`the browser complains: ${complaint}`);
process.exitCode = complaints.length === 0 ? 0 : 1;

async function details(): Promise<Record<string, string>> {
  const planned = await world.newest("/loops?status=awaiting_approval");
  const done = await world.newest("/loops?status=done");
  const task = await world.newest(`/loops/${done}/tasks`);
  const run = await world.newest(`/tasks/${task}/runs`);
  return {
    plan: `/loops/${planned}`,
    loop: `/loops/${done}`,
    task: `/tasks/${task}`,
    run: `/runs/${run}`,
    diff: `/runs/${run}?tab=diff`,
    sandbox: "/sandboxes/notes?tab=network",
    terminal: "/sandboxes/notes",
  };
}

function keepForDocuments(): void {
  mkdirSync(documents, { recursive: true });
  for (const name of shown)
    for (const scheme of ["light", "dark"])
      copyFileSync(
        join(folder, "full", `${name}-${scheme}-desktop.png`),
        join(documents, `${name}-${scheme}.png`),
      );
}

function say(sentence: string): void {
  process.stdout.write(`  ${sentence}\n`);
}
