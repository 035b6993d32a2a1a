import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Ledger } from "./ledger.ts";
import type { RequestEntry } from "./record.ts";

let folder: string;
let troubles: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ot-ledger-"));
  troubles = [];
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (limitBytes?: number) =>
  new Ledger({
    folder,
    onTrouble: (sentence) => troubles.push(sentence),
    ...(limitBytes ? { limitBytes } : {}),
  });

const sandbox = { kind: "sandbox", id: "s" } as const;

function entry(fields: Partial<RequestEntry> = {}): RequestEntry {
  return {
    at: "2026-06-01T00:00:00.000Z",
    sandbox: "s",
    name: "one",
    run: null,
    loop: null,
    provider: "anthropic",
    method: "POST",
    path: "/anthropic/v1/messages",
    credential: "anthropic_api_key",
    origin: "secret anthropic_api_key",
    outcome: "answered",
    status: 200,
    reason: null,
    error: null,
    until: null,
    model: "claude-sonnet-5",
    tokens: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0 },
    estimated: false,
    usd: 0.001,
    ms: 5,
    ...fields,
  };
}

it("the sums are those of all requests ever, however often the lines were set aside or we were killed", () => {
  for (let restarts = 0; restarts < 5; restarts += 1) {
    const ledger = open(2_000);
    for (let count = 0; count < 13; count += 1) ledger.append(entry());
    // Every other time nobody closes it, as with kill -9.
    if (restarts % 2 === 0) ledger.close();
  }
  const { requests, tokens, usd } = open(2_000).totals(sandbox);
  expect({ requests, tokens }).toMatchObject({ requests: 65, tokens: { input: 65, output: 130 } });
  expect(usd).toBeCloseTo(0.065, 10);
});

it("what is kept does not grow without end, and is for its owner alone", () => {
  const ledger = open(2_000);
  for (let count = 0; count < 200; count += 1) ledger.append(entry());
  const files = readdirSync(folder);
  expect(files.length).toBeLessThanOrEqual(6);
  for (const file of files) {
    expect(statSync(join(folder, file)).size).toBeLessThan(4_000);
    expect(statSync(join(folder, file)).mode & 0o077).toBe(0);
  }
});

it("a line that lost its end swallows neither the next nor the rest", () => {
  open().append(entry());
  appendFileSync(join(folder, "requests.jsonl"), '{"seq":2,"at":"2026');
  open().append(entry());
  expect(open().totals(sandbox).requests).toBe(2);
});

it("the same refusal again and again is counted, and written down once a minute", () => {
  const ledger = open();
  ledger.append(entry());
  for (let count = 0; count < 1000; count += 1)
    ledger.append(entry({ outcome: "refused", reason: "budget", tokens: null, usd: null }));
  ledger.append(
    entry({ outcome: "refused", reason: "budget", tokens: null, usd: null, at: "2026-06-01T00:01:00.000Z" }),
  );
  expect(ledger.totals(sandbox)).toMatchObject({ requests: 1, refused: 1001 });
  expect(readFileSync(join(folder, "requests.jsonl"), "utf8").trim().split("\n")).toHaveLength(3);
});

it("a refusal is written down for each run, and again after something was answered: the last line is how it ended", () => {
  const ledger = open();
  const refused = { outcome: "refused", reason: "auth", tokens: null, usd: null } as const;
  for (const run of ["run-one", "run-two"]) {
    ledger.append(entry({ run, ...refused }));
    ledger.append(entry({ run }));
    ledger.append(entry({ run, ...refused }));
    ledger.append(entry({ run, ...refused }));
    const outcomes = ledger.recent(10, { kind: "run", id: run }).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(["refused", "answered", "refused"]);
  }
});

it("the requests of a run are known in their order, also those of before the lines were set aside", () => {
  const ledger = open(6_000);
  for (let ms = 0; ms < 20; ms += 1) ledger.append(entry({ run: ms % 2 === 0 ? "run-one" : "run-two", ms }));
  expect(readdirSync(folder)).toContain("requests.jsonl.1");
  const known = open(6_000).recent(100, { kind: "run", id: "run-one" });
  expect(known.map(({ ms }) => ms)).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16, 18]);
  expect(ledger.recent(2, { kind: "run", id: "run-one" }).map(({ ms }) => ms)).toEqual([16, 18]);
  // A run that is called like a sandbox is not that sandbox.
  expect(ledger.recent(2, { kind: "run", id: "s" })).toEqual([]);
});

it("lines of before errors and limits were noted are read as they are", () => {
  const { error: _error, until: _until, ...older } = entry({ run: "run-one" });
  writeFileSync(join(folder, "requests.jsonl"), `${JSON.stringify({ seq: 1, ...older })}\n`);
  expect(open().recent(5, { kind: "run", id: "run-one" })).toMatchObject([{ error: null, until: null }]);
});

it("sums that cannot be read are set aside and said to be, and the lines still count", () => {
  const ledger = open();
  ledger.append(entry());
  writeFileSync(join(folder, "totals.json"), "{broken");
  expect(open().totals(sandbox).requests).toBe(1);
  expect(troubles).toEqual([expect.stringContaining("totals.json.damaged")]);
});
