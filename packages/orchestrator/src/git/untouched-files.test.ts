import { execFileSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { userGit } from "../../../../tests/setup/user-git.ts";
import { loopScene } from "./git-fixture.ts";
import { untouchedFiles } from "./untouched-files.ts";

test("files that only their attributes make look changed are told from those that were changed", async () => {
  const names = ["a b.txt", "täglich.txt", "mode.txt", "unix.txt", "more.txt"];
  const { user } = await loopScene(Object.fromEntries(names.map((name) => [name, "one\r\n"])));
  writeFileSync(join(user, ".gitattributes"), "*.txt text\n");
  userGit(user, "add", ".gitattributes");
  userGit(user, "commit", "-q", "-m", "an attribute");
  const start = userGit(user, "rev-parse", "HEAD");
  writeFileSync(join(user, "unix.txt"), "one\n");
  writeFileSync(join(user, "more.txt"), "one\r\ntwo\r\n");
  chmodSync(join(user, "mode.txt"), 0o755);
  userGit(user, "add", "--all", "--renormalize");
  const said = execFileSync("sh", ["-c", `${untouchedFiles}\nuntouched_files "$1"`, "sh", start], {
    cwd: user,
    encoding: "utf8",
  });
  const found = said.split("\n").filter(Boolean);
  const oid = userGit(user, "rev-parse", `${start}:mode.txt`);
  expect(found.toSorted()).toEqual(
    [`100644 ${oid}\ta b.txt`, `100644 ${oid}\ttäglich.txt`, `100755 ${oid}\tmode.txt`].toSorted(),
  );
});
