import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface UserIds {
  uid: number;
  gid: number;
}

/** Where system users are counted from, downwards, as `useradd` does it. */
const highestSystemId = 999;
const lowestSystemId = 100;

/** The user of that name in the folder's `passwd`; undefined where there is none. */
export function findUser(etc: string, name: string): UserIds | undefined {
  const fields = entries(join(etc, "passwd")).find(([found]) => found === name);
  return fields && { uid: Number(fields[2]), gid: Number(fields[3]) };
}

/**
 * Adds a user and its group by a line in `passwd` and in `group`, for systems that have no `useradd`. Nobody can log
 * in as it. Returns undefined where no number is free.
 */
export function addUser(etc: string, name: string): UserIds | undefined {
  const [passwd, group] = [join(etc, "passwd"), join(etc, "group")];
  const taken = new Set([...entries(passwd), ...entries(group)].map((fields) => Number(fields[2])));
  let id = highestSystemId;
  while (taken.has(id)) id -= 1;
  if (id < lowestSystemId) return undefined;
  // The group first: a user without its group would be found as if it were complete.
  appendLine(group, `${name}:*:${id}:`);
  appendLine(passwd, `${name}:*:${id}:${id}:openTiger's PostgreSQL:/nonexistent:/usr/sbin/nologin`);
  return { uid: id, gid: id };
}

function entries(path: string): string[][] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.includes(":"))
    .map((line) => line.split(":"));
}

/** In one write, so that nobody reads half a line. */
function appendLine(path: string, line: string): void {
  const before = readFileSync(path, "utf8");
  appendFileSync(path, `${before === "" || before.endsWith("\n") ? "" : "\n"}${line}\n`);
}
