import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defaultNetworkSettings, type SandboxRecord } from "@opentiger/schema";
import { beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../fixture/temporary-folder.ts";
import { Records } from "./records.ts";

let folder: string;
let records: Records;

beforeEach(() => {
  folder = temporaryFolder();
  records = new Records(folder);
});

describe("a record", () => {
  it("is read back as it was written, by id and by name", () => {
    const written = record("aaa", "one");
    records.write(written);
    records.claimName("one", "aaa");
    expect(records.read("aaa")).toEqual(written);
    expect(records.findByName("one")).toEqual(written);
    expect(records.list()).toEqual({ records: [written], unreadable: [] });
  });

  it("leaves no temporary file behind", () => {
    records.write(record("aaa", "one"));
    records.write({ ...record("aaa", "one"), state: "adopted" });
    expect(readdirSync(join(folder, "sandboxes"))).toEqual(["aaa.json"]);
  });

  it("that cannot be read is reported, not treated as absent", () => {
    records.write(record("aaa", "one"));
    writeFileSync(join(folder, "sandboxes", "bbb.json"), "{");
    expect(() => records.read("bbb")).toThrow(expect.objectContaining({ code: "internal" }));
    const { records: readable, unreadable } = records.list();
    expect(readable.map(({ id }) => id)).toEqual(["aaa"]);
    expect(unreadable.map(({ id }) => id)).toEqual(["bbb"]);
  });

  it("of an unknown shape is not written", () => {
    expect(() => records.write({ ...record("aaa", "one"), name: "../escape" })).toThrow();
    expect(existsSync(join(folder, "sandboxes", "aaa.json"))).toBe(false);
  });
});

describe("a name", () => {
  it("is given to one record only", () => {
    records.write(record("aaa", "one"));
    records.write(record("bbb", "one"));
    expect(records.claimName("one", "aaa")).toBe(true);
    expect(records.claimName("one", "bbb")).toBe(false);
    expect(records.claimName("one", "aaa")).toBe(true);
    expect(records.findByName("one")?.id).toBe("aaa");
  });

  it("is free again when its record is dropped, and only its holder can free it", () => {
    records.write(record("aaa", "one"));
    records.claimName("one", "aaa");
    records.releaseName("one", "bbb");
    expect(records.holderOf("one")).toBe("aaa");
    records.drop(record("aaa", "one"));
    expect(records.holderOf("one")).toBeUndefined();
    expect(records.read("aaa")).toBeUndefined();
  });

  it("whose record was removed by hand leads to nothing", () => {
    records.write(record("aaa", "one"));
    records.claimName("one", "aaa");
    rmSync(join(folder, "sandboxes", "aaa.json"));
    expect(records.findByName("one")).toBeUndefined();
  });
});

function record(id: string, name: string): SandboxRecord {
  return {
    version: 1,
    id,
    containerId: null,
    name,
    state: "creating",
    agent: "shell",
    workspaceKind: "direct",
    workspaces: [{ path: "/w", readOnly: false }],
    repository: null,
    createdAt: "2026-01-01T00:00:00.000Z",
    adoptedAt: null,
    creatorPid: 1,
    engine: "e",
    image: "i",
    carrier: "socket",
    isolation: "separate-uid",
    user: { uid: 1000, gid: 1000, home: "/home/worker" },
    env: {},
    network: defaultNetworkSettings,
    paused: null,
    ports: [],
  };
}
