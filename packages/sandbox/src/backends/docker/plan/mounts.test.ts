import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { checkMounts, refuseUnmountable } from "./mounts.ts";

const home = realpathSync(mkdtempSync(join(tmpdir(), "opentiger-mounts-")));
const state = join(home, "state");
for (const name of [".claude", ".ssh", "state"]) mkdirSync(join(home, name));
symlinkSync(join(home, ".ssh"), join(home, "link"));
afterAll(() => rmSync(home, { recursive: true }));

const forbidden = { home, paths: [state] };
const target = "/home/worker/.claude";
const check = (source: string, at = target) =>
  checkMounts([{ source: join(home, source), target: at }], "direct", forbidden);

describe("folders of the host at another path", () => {
  it("an agent's own settings may be mounted, which no workspace may be", () => {
    expect(check(".claude")).toEqual([{ source: join(home, ".claude"), target }]);
  });

  it("keys, the state folder, the home folder, and links to them may not", () => {
    for (const source of [".ssh", "link", "state", "."]) {
      expect(() => check(source)).toThrow(expect.objectContaining({ code: "workspace_refused" }));
    }
  });

  it("they stand below the agent's home and nowhere else", () => {
    for (const at of ["/", "/home/worker", "/run/opentiger", "/home/worker/../../etc", ".claude"]) {
      expect(() => check(".claude", at)).toThrow("nothing can be mounted at");
    }
  });

  it("a clone and an engine elsewhere refuse them, with the way that mounts nothing", () => {
    const mounts = check(".claude");
    const remedy = expect.stringContaining("SANDBOX_CREDENTIALS=broker") as string;
    expect(() => checkMounts(mounts, "clone", forbidden)).toThrow(expect.objectContaining({ remedy }));
    expect(() => refuseUnmountable(mounts, "remote")).toThrow(expect.objectContaining({ remedy }));
    expect(() => refuseUnmountable(mounts, "local")).not.toThrow();
    expect(() => refuseUnmountable([], "remote")).not.toThrow();
  });
});
