import { defaultNetworkSettings } from "@opentiger/schema";
import { describe, expect, test } from "vitest";
import { parseHost } from "./host/host.ts";
import { learn } from "./learn.ts";
import { type LogEntry, otherHosts } from "./log/entry.ts";
import { LogBook } from "./log/log-book.ts";
import { applyChange } from "./policy/change.ts";
import { decide } from "./policy/decide.ts";

function rowsOf(...entries: (Pick<LogEntry, "host" | "port"> & Partial<LogEntry>)[]) {
  const book = new LogBook();
  for (const entry of entries)
    book.record({ verdict: "allowed", rule: "policy allow", ...entry }, "2026-01-01");
  return book.rows();
}

const rows = rowsOf(
  { host: "packages.example.org", port: 443 },
  { host: "api.test", port: 443 },
  { host: "api.test", port: 80 },
  { host: "2001:db8::1", port: 443 },
  { host: "host.docker.internal", port: 5432 },
  { host: "host.docker.internal", port: 8080 },
  { host: "blocked.test", port: 443, verdict: "blocked" },
  { host: "failed.test", port: 443, verdict: "failed" },
);
const settings = { ...defaultNetworkSettings, hostPorts: [5432] };

describe("learn mode", () => {
  test("names every host and port that was reached, and nothing else", () => {
    expect(learn(rows, settings)).toMatchObject({
      policy: "deny",
      allowHosts: [
        "[2001:db8::1]:443",
        "api.test:80",
        "api.test:443",
        "localhost:8080",
        "packages.example.org:443",
      ],
      complete: true,
    });
  });

  test("gives rules with which the same run goes through and nothing more does", () => {
    const learned = learn(rows, settings);
    const applied = applyChange(settings, { policy: learned.policy, allowHost: learned.allowHosts });
    expect(applied.allowHosts).toEqual(learned.allowHosts);
    for (const row of rows) {
      const host = parseHost(row.host);
      if (!host.ok) throw new Error(row.host);
      const { verdict } = decide(applied, { host: host.value, port: row.port });
      expect({ row, verdict }).toEqual({ row, verdict: row.allowed > 0 ? "allowed" : "blocked" });
    }
  });

  test("since a time takes only what was reached since, not what was only refused by then", () => {
    const book = new LogBook();
    const reach = (host: string, day: string, verdict: LogEntry["verdict"] = "allowed") =>
      book.record({ host, port: 443, verdict, rule: "policy allow" }, day);
    for (const host of ["old.test", "again.test", "refused.test", "open.test"]) reach(host, "2026-01-01");
    reach("again.test", "2026-01-03");
    reach("refused.test", "2026-01-03", "blocked");
    // A connection that was open before, and was used since.
    book.count({ host: "open.test", port: 443 }, { bytesIn: 1, bytesOut: 1 }, "2026-01-03");
    expect(learn(book.rows(), settings, "2026-01-02").allowHosts).toEqual([
      "again.test:443",
      "open.test:443",
    ]);
    // What was kept before this was known: rather a host too many.
    const [refused] = book.rows().filter(({ host }) => host === "refused.test");
    delete refused?.lastReached;
    expect(learn(refused ? [refused] : [], settings, "2026-01-02").allowHosts).toEqual(["refused.test:443"]);
  });

  test("says when the log did not hold everything", () => {
    expect(learn(rowsOf({ host: otherHosts, port: 0 }), settings)).toMatchObject({ complete: false });
  });
});
