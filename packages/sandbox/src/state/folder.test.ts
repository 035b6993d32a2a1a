import { chmodSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../fixture/temporary-folder.ts";
import { ensureStateFolder, isShared, stateFolder } from "./folder.ts";

describe("the state folder", () => {
  it("is OPENTIGER_HOME, else XDG's, else below HOME", () => {
    expect(stateFolder({ OPENTIGER_HOME: "/a", XDG_STATE_HOME: "/b", HOME: "/c" })).toBe("/a");
    expect(stateFolder({ XDG_STATE_HOME: "/b", HOME: "/c" })).toBe("/b/opentiger");
    expect(stateFolder({ XDG_STATE_HOME: "relative", HOME: "/c" })).toBe("/c/.local/state/opentiger");
    expect(stateFolder({ HOME: "/c" })).toBe("/c/.local/state/opentiger");
  });

  it("is refused when it is relative: each working directory would be another instance", () => {
    expect(() => stateFolder({ OPENTIGER_HOME: "x" })).toThrow(expect.objectContaining({ code: "usage" }));
  });

  it("is closed to everybody else, also when it was open before", () => {
    const folder = join(temporaryFolder(), "deep", "er");
    ensureStateFolder(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    chmodSync(folder, 0o755);
    ensureStateFolder(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it("is not one that others need too: that is refused, and left as it is", () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o1777);
    expect(() => ensureStateFolder(folder)).toThrow(
      expect.objectContaining({
        code: "internal",
        remedy: expect.stringContaining(join(folder, "opentiger")),
      }),
    );
    expect(statSync(folder).mode & 0o7777).toBe(0o1777);
    ensureStateFolder(join(folder, "opentiger"));
    for (const path of ["/", "/tmp", "/tmp/", "/var/lib", "/usr"])
      expect(isShared(path, { mode: 0o755 })).toBe(true);
    expect(isShared(folder, { mode: 0o755 })).toBe(false);
  });

  it("says what to do when it cannot be made", () => {
    expect(() => ensureStateFolder("/dev/null/state")).toThrow(
      expect.objectContaining({ code: "internal", remedy: expect.stringContaining("OPENTIGER_HOME") }),
    );
  });
});
