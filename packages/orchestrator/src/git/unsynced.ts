import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";

const setting = "[core]\n\tfsync = none\n";

/** For tests: nothing of this repository has to outlive the machine, so git need not wait for the disk. The last word counts. */
export function unsynced<T extends { readonly path: string }>(repository: T): T {
  const file = join(repository.path, "config");
  if (!readFileSync(file, "utf8").endsWith(setting)) appendFileSync(file, setting);
  return repository;
}
