import { describe, expect, test } from "vitest";
import { sandboxWay } from "./sandbox-way.ts";

const folder = { source: "/home/me/.claude", target: "/home/worker/.claude" };

describe("how a sandbox comes by its credentials", () => {
  test("is what it was given and made with, whatever the way is for who asks", () => {
    for (const asked of ["broker", "mount", "inject", "none"] as const) {
      expect(sandboxWay({ granted: true, mounts: [], asked })).toBe("broker");
      expect(sandboxWay({ granted: false, mounts: [folder], asked })).toBe("mount");
    }
  });

  test("with neither, only inject gives a command anything", () => {
    const neither = { granted: false, mounts: [] };
    expect(sandboxWay({ ...neither, asked: "inject" })).toBe("inject");
    for (const asked of ["broker", "mount", "none"] as const)
      expect(sandboxWay({ ...neither, asked })).toBe("none");
  });
});
