import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type HostRecord, HostRecords } from "./host-record.ts";

let folder: string;
let records: HostRecords;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ot-records-"));
  records = new HostRecords(folder);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function record(id: string): HostRecord {
  return {
    version: 1,
    id,
    name: "one",
    agent: "shell",
    workspaceKind: "direct",
    workspaces: [],
    repository: null,
    env: {},
    inherit: null,
    createdAt: new Date().toISOString(),
    creatorPid: null,
    removing: null,
    supervisor: null,
  };
}

it("who is late in removing one does nothing to the next of its name", () => {
  expect(records.create(record("first"))).toBe(true);
  records.drop(record("first"));
  expect(records.create(record("second"))).toBe(true);
  records.markRemoving(record("first"));
  records.drop(record("first"));
  expect(records.list()).toMatchObject([{ id: "second", removing: null }]);
});

it("is changed as it is now, unless it is gone, on its way, or the next of its name is there", () => {
  const supervisor = { pid: 1, startTime: "1" };
  records.create(record("first"));
  expect(records.change(record("first"), { supervisor })).toBe(true);
  expect(records.change(record("first"), { agent: "claude" })).toBe(true);
  expect(records.read("one")).toMatchObject({ agent: "claude", supervisor });
  records.markRemoving(record("first"));
  expect(records.change(record("first"), { supervisor: null })).toBe(false);
  expect(records.read("one")).toMatchObject({ supervisor, removing: { pid: process.pid } });
  records.drop(record("first"));
  expect(records.change(record("first"), { supervisor: null })).toBe(false);
  records.create(record("second"));
  expect(records.change(record("first"), { supervisor })).toBe(false);
  expect(records.list()).toMatchObject([{ id: "second", supervisor: null }]);
});

it("one that is dropped leaves nothing, and what a killed process left of it is collected", () => {
  records.create(record("first"));
  records.drop(record("first"));
  expect(readdirSync(join(folder, "host"))).toEqual([]);
  mkdirSync(join(folder, "host", "one.first~"));
  expect(records.list()).toEqual([]);
  records.collect();
  expect(readdirSync(join(folder, "host"))).toEqual([]);
});
