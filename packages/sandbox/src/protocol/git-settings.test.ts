import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { gitSettings } from "./git-settings.ts";

const folder = mkdtempSync(join(tmpdir(), "ot-git-"));
const file = join(folder, "config");

afterAll(() => rmSync(folder, { recursive: true }));

describe("git's settings in a sandbox", () => {
  it.each([
    ["Ada Lovelace", "Ada Lovelace"],
    ['Åsa "Q" \\ # ; 山田', 'Åsa "Q" \\ # ; 山田'],
    ["two\nlines\u0001[core]\n\tpager = evil", "two lines [core]  pager = evil"],
  ])("are read by git as they were meant: %j", (gitName, expected) => {
    writeFileSync(file, gitSettings({ gitName, gitEmail: "a@b.test" }));
    const read = (key: string): string =>
      execFileSync("git", ["config", "--file", file, "--get", key], { encoding: "utf8" }).replace(/\n$/, "");
    expect(read("user.name")).toBe(expected);
    expect(read("user.email")).toBe("a@b.test");
    expect(read("safe.directory")).toBe("*");
  });

  it("name nobody where the host's git does not", () => {
    expect(gitSettings({ gitName: null, gitEmail: null })).not.toContain("[user]");
  });
});
