import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { atEnd } from "./at-end.ts";
import { docker, workerImage } from "./docker.ts";

const cache = fileURLToPath(new URL("../../.cache/known-images", import.meta.url));
let worker: Promise<string> | undefined;

/**
 * Lets a new instance know what earlier ones have found in the worker image: a container for each instance would look at
 * the same again. What this one finds is kept for the next; an image's id names its content.
 */
export async function knowImages(stateFolder: string): Promise<void> {
  worker ??= docker("image", "inspect", "--format", "{{.Id}}", workerImage);
  const id = (await worker).replace(/^sha256:/, "");
  const own = join(stateFolder, "images");
  copyMissing(cache, own, id);
  atEnd(() => copyMissing(own, cache, id));
}

/** Each at once: another test file may be doing the same. */
function copyMissing(from: string, to: string, id: string): void {
  const names = existsSync(from) ? readdirSync(from) : [];
  for (const name of names.filter((each) => each.startsWith(`${id}.`) && each.endsWith(".json"))) {
    if (existsSync(join(to, name))) continue;
    mkdirSync(to, { recursive: true, mode: 0o700 });
    const half = join(to, `.${name}.${process.pid}`);
    copyFileSync(join(from, name), half);
    renameSync(half, join(to, name));
  }
}
