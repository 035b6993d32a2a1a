import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { addUser, findUser } from "./passwd-files.ts";

let etc: string;

beforeEach(() => {
  etc = mkdtempSync(join(tmpdir(), "ot-etc-"));
  write(
    "root:x:0:0:root:/root:/bin/bash\nsshd:x:999:65534::/run/sshd:/usr/sbin/nologin\n",
    "root:x:0:\nkvm:x:998:\n",
  );
});

afterEach(() => rmSync(etc, { recursive: true, force: true }));

it("a user is added with a number that neither a user nor a group has, and found again", () => {
  expect(findUser(etc, "opentiger-pg")).toBeUndefined();
  expect(addUser(etc, "opentiger-pg")).toEqual({ uid: 997, gid: 997 });
  expect(findUser(etc, "opentiger-pg")).toEqual({ uid: 997, gid: 997 });
  expect(readFileSync(join(etc, "group"), "utf8")).toContain("\nopentiger-pg:*:997:\n");
});

it("nobody can log in as it: it has no password and no shell", () => {
  addUser(etc, "opentiger-pg");
  const [line = ""] = readFileSync(join(etc, "passwd"), "utf8").match(/^opentiger-pg:.*$/m) ?? [];
  expect(line).toBe("opentiger-pg:*:997:997:openTiger's PostgreSQL:/nonexistent:/usr/sbin/nologin");
});

it("what was there stays as it was, also where the last line had no end", () => {
  const before = "root:x:0:0:root:/root:/bin/bash";
  write(before, "root:x:0:");
  addUser(etc, "opentiger-pg");
  expect(readFileSync(join(etc, "passwd"), "utf8").startsWith(`${before}\n`)).toBe(true);
  expect(findUser(etc, "root")).toEqual({ uid: 0, gid: 0 });
});

it("nothing is written where no number is free", () => {
  const lines = Array.from({ length: 900 }, (_, index) => `u${index}:x:${index + 100}:0::/:/bin/sh`);
  write(`${lines.join("\n")}\n`, "root:x:0:\n");
  expect(addUser(etc, "opentiger-pg")).toBeUndefined();
  expect(findUser(etc, "opentiger-pg")).toBeUndefined();
});

function write(passwd: string, group: string): void {
  writeFileSync(join(etc, "passwd"), passwd);
  writeFileSync(join(etc, "group"), group);
}
