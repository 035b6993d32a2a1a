import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Camera } from "./camera.ts";
import { alive, first, type Pages, worked } from "./pages.ts";
import { startWorld } from "./world.ts";

/** `npm run screenshots [-- --docs]`: every page, empty and full, light and dark, on a desk and on a phone. */
const folder = fileURLToPath(new URL("../../.cache/screenshots", import.meta.url));
const documents = fileURLToPath(new URL("../../docs/images", import.meta.url));

/** What README and docs show. */
const shown = ["overview", "loop", "run", "sandbox", "system"];

rmSync(folder, { recursive: true, force: true });
const world = await startWorld();
const complaints: string[] = [];
const camera = await Camera.open({ ...world, folder });
try {
  await takeAll("empty", first);
  say("a loop runs, so that there is something to see");
  await world.fill();
  await takeAll("full", alive);
  await takeAll("full", worked(await world.addWeek()));
} finally {
  await camera.close();
  await world.close();
}
if (process.argv.includes("--docs")) keepForDocuments();
say(`in ${folder}`);
for (const complaint of complaints) say(`the browser complains: ${complaint}`);
process.exitCode = complaints.length === 0 ? 0 : 1;

async function takeAll(below: string, pages: Pages): Promise<void> {
  for (const [name, shot] of Object.entries(pages))
    complaints.push(...(await camera.take(join(below, name), shot)));
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
