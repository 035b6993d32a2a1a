import { describe, expect, it } from "vitest";
import type { EngineFacts } from "../engine/facts.ts";
import { decideIdentity } from "./identity.ts";

const plain: EngineFacts = {
  id: "e",
  version: "28",
  location: "local",
  rootless: false,
  usernsRemap: false,
  selinux: false,
  cgroupVersion: "2",
  storageDriver: "overlay2",
  dataFolder: "/var/lib/docker",
  runtimes: ["runc"],
  cpus: 4,
  memoryBytes: 2 ** 34,
  holds: { memory: true, cpus: true, pids: true },
  ruledOomScore: true,
};
const owner = (uid: number, gid = uid) => ({ uid, gid, path: "/w" });

describe("a direct workspace", () => {
  it("gives its owner's ids, whatever they are", () => {
    expect(decideIdentity("direct", owner(1_234_567, 20), plain)).toEqual({
      uid: 1_234_567,
      gid: 20,
      isolation: "separate-uid",
    });
  });

  it("of root makes the agent root, with the other kind of isolation", () => {
    expect(decideIdentity("direct", owner(0), plain)).toEqual({ uid: 0, gid: 0, isolation: "agent-root" });
  });

  it("of a group that marks commands is refused", () => {
    expect(() => decideIdentity("direct", owner(1000, 61_500), plain)).toThrow(/marks commands/);
  });

  it("of oneself on a rootless engine is root's inside", () => {
    const me = owner(process.getuid?.() ?? 0, process.getgid?.() ?? 0);
    expect(decideIdentity("direct", me, { ...plain, rootless: true })).toMatchObject({
      uid: 0,
      isolation: "agent-root",
    });
  });

  it("of a uid that a rootless engine does not map is refused", () => {
    expect(() => decideIdentity("direct", owner(3_999_999), { ...plain, rootless: true })).toThrow(
      expect.objectContaining({ code: "workspace_refused", remedy: expect.stringContaining("--clone") }),
    );
  });
});

describe("a clone", () => {
  it("is never root's", () => {
    for (const facts of [plain, { ...plain, rootless: true }, { ...plain, location: "remote" as const }]) {
      expect(decideIdentity("clone", owner(0), facts)).toEqual({
        uid: 1000,
        gid: 1000,
        isolation: "separate-uid",
      });
    }
    expect(decideIdentity("clone", owner(1001, 0), plain)).toMatchObject({ uid: 1001, gid: 1001 });
  });

  it("has an ordinary uid where the owner's is not mapped or marks commands", () => {
    expect(decideIdentity("clone", owner(70_000), { ...plain, usernsRemap: true }).uid).toBe(1000);
    expect(decideIdentity("clone", owner(70_000), plain).uid).toBe(70_000);
    expect(decideIdentity("clone", owner(1001, 61_000), plain)).toMatchObject({ uid: 1000, gid: 1000 });
  });
});
