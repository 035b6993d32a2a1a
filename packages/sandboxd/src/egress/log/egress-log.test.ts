import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { EgressLog } from "./egress-log.ts";
import type { LogEvent, LogVerdict } from "./entry.ts";
import { LogBook } from "./log-book.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ot-log-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function entry(host: string, verdict: LogVerdict, rule = "policy allow") {
  return { host, port: 443, verdict, rule };
}

describe("the network log", () => {
  test("counts by host and port, and survives a restart", async () => {
    let now = new Date("2026-01-01T00:00:00Z");
    const log = new EgressLog(folder, () => now);
    log.record("box1", entry("a.test", "allowed"));
    now = new Date("2026-01-01T00:00:05Z");
    log.record("box1", entry("a.test", "cut", "policy deny"));
    log.record("box1", { ...entry("a.test", "failed"), port: 80 });
    log.count("box1", { host: "a.test", port: 443 }, { bytesIn: 10, bytesOut: 3 });
    await log.close();
    const rows = new EgressLog(folder).rows("box1");
    expect(rows).toContainEqual({
      host: "a.test",
      port: 443,
      rule: "policy deny",
      allowed: 1,
      blocked: 1,
      failed: 0,
      bytesIn: 10,
      bytesOut: 3,
      firstSeen: "2026-01-01T00:00:00.000Z",
      lastSeen: "2026-01-01T00:00:05.000Z",
      lastReached: "2026-01-01T00:00:05.000Z",
      lastBlocked: "2026-01-01T00:00:05.000Z",
    });
    expect(rows).toHaveLength(2);
    expect(readdirSync(folder)).toEqual(["box1.json"]);
  });

  test("is on disk within a second, without anybody closing it", async () => {
    const log = new EgressLog(folder);
    log.record("box1", entry("a.test", "allowed"));
    await expect.poll(() => readdirSync(folder), { timeout: 1000 }).toEqual(["box1.json"]);
    expect(new EgressLog(folder).rows("box1")).toMatchObject([{ host: "a.test" }]);
    await log.close();
  });

  test("tells followers of every event, of one sandbox or of all", async () => {
    const log = new EgressLog(folder);
    const mine: LogEvent[] = [];
    const all: LogEvent[] = [];
    const stop = log.subscribe("box1", (event) => mine.push(event));
    log.subscribe(undefined, (event) => all.push(event));
    log.record("box1", entry("a.test", "allowed"));
    log.record("box2", entry("b.test", "blocked"));
    stop();
    log.record("box1", entry("c.test", "allowed"));
    expect(mine.map(({ host }) => host)).toEqual(["a.test"]);
    expect(all.map(({ sandboxId, host }) => `${sandboxId} ${host}`)).toEqual([
      "box1 a.test",
      "box2 b.test",
      "box1 c.test",
    ]);
    await log.close();
  });

  test("of a removed sandbox is gone", async () => {
    const log = new EgressLog(folder);
    log.record("box1", entry("a.test", "allowed"));
    await log.close();
    await log.drop("box1");
    expect(readdirSync(folder)).toEqual([]);
    expect(log.rows("box1")).toEqual([]);
  });

  test("that cannot be read is put aside", async () => {
    writeFileSync(join(folder, "box1.json"), "{ damaged");
    const log = new EgressLog(folder);
    log.record("box1", entry("a.test", "allowed"));
    await log.close();
    expect(readFileSync(join(folder, "box1.json.unreadable"), "utf8")).toBe("{ damaged");
    expect(new EgressLog(folder).rows("box1")).toMatchObject([{ host: "a.test" }]);
  });

  test("is bounded, and blocked hosts make room before any that was reached", () => {
    const book = new LogBook([], 10);
    book.record(entry("reached.test", "allowed"), "2026-01-01");
    for (let n = 0; n < 100; n += 1) {
      book.record(
        entry(`n${n}.test`, "blocked", "policy deny"),
        `2026-01-02T00:00:${String(n).padStart(3, "0")}`,
      );
    }
    const rows = book.rows();
    expect(rows.length).toBeLessThanOrEqual(11);
    expect(rows.map((row) => row.host)).toEqual(
      expect.arrayContaining(["reached.test", "n99.test", "(others)"]),
    );
    expect(rows.reduce((sum, row) => sum + row.blocked, 0)).toBe(100);
    for (let n = 0; n < 20; n += 1) book.record(entry(`r${n}.test`, "allowed"), "2026-01-03");
    expect(book.rows().length).toBeLessThanOrEqual(11);
    expect(book.rows().reduce((sum, row) => sum + row.allowed, 0)).toBe(21);
  });
});
