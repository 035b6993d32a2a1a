import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { soak } from "./soak.ts";

/** The sizes of `npm run soak`, and the smallest at which the same proof is still one. */
export const fullSize = soak
  ? { outputMegabytes: 10_240, fileMegabytes: 2000, files: 100_000, repositoryMegabytes: 500 }
  : { outputMegabytes: 256, fileMegabytes: 60, files: 3000, repositoryMegabytes: 20 };

/** How long a test of such a size may take. */
export const fullSizeTimeout = soak ? 1_800_000 : 120_000;

/** A folder with so many small files, a hundred in each folder below it. */
export function makeFiles(folder: string, count: number): void {
  for (let n = 0; n < count; n += 1) {
    if (n % 100 === 0) mkdirSync(join(folder, `${n / 100}`), { recursive: true });
    writeFileSync(join(folder, `${Math.floor(n / 100)}`, `${n}`), `${n}\n`);
  }
}

/** A file that is larger than any buffer, written piece by piece. */
export function makeFile(path: string, megabytes: number): void {
  mkdirSync(dirname(path), { recursive: true });
  const piece = Buffer.alloc(1_000_000, "0123456789abcdef-");
  for (let n = 0; n < megabytes; n += 1) writeFileSync(path, piece, { flag: "a" });
}

/** Files of a megabyte each that git cannot make smaller, and that are the same every time. */
export function makeNoise(folder: string, megabytes: number): void {
  for (let n = 0; n < megabytes; n += 1) writeFileSync(join(folder, `noise-${n}`), noise(n));
}

function noise(seed: number): string {
  let state = seed + 1;
  const words = new Uint32Array(256 * 1024);
  for (let n = 0; n < words.length; n += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    words[n] = state;
  }
  return Buffer.from(words.buffer).toString("base64");
}
