import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isAlive } from "./processes.mjs";

/**
 * Who is using a private engine. A test run that ends stops the engine only when it is the last one, and never when
 * somebody asked for it with `engine.mjs up`, which marks it to be kept until the machine is started anew.
 *
 * @param {import("./paths.mjs").EnginePaths} paths
 */
export function engineUsers(paths) {
  const own = join(paths.users, String(process.pid));
  return {
    join: () => writeFileSync(own, ""),
    leave: () => rmSync(own, { force: true }),
    keep: () => writeFileSync(paths.keep, thisBoot()),
    forget: () => {
      for (const path of [paths.users, paths.keep]) rmSync(path, { recursive: true, force: true });
    },
    isKept: () => existsSync(paths.keep) && readFileSync(paths.keep, "utf8") === thisBoot(),
    others: () =>
      (existsSync(paths.users) ? readdirSync(paths.users) : [])
        .map(Number)
        .filter((pid) => pid !== process.pid && isAlive(pid)),
  };
}

function thisBoot() {
  return readFileSync("/proc/sys/kernel/random/boot_id", "utf8");
}
