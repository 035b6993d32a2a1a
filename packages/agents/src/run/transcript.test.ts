import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Transcript } from "./transcript.ts";
import { type ReadRecord, readTranscript } from "./transcript-reader.ts";
import type { RunRecord } from "./transcript-record.ts";

const run: RunRecord = {
  kind: "run",
  version: 1,
  id: "one",
  execId: "run-one",
  driver: "script",
  startedAt: 1,
  place: { backend: "host", cwd: "/w", home: "/h", folder: "/f" },
  session: { kind: "new", id: "s" },
  resumed: { asked: false },
};

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ot-transcript-"));
  path = join(folder, "transcript");
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("a transcript", () => {
  it("gives back what was put in, byte for byte, and is for its owner alone", async () => {
    writeAll();
    const records = await readAll();
    expect(records.map(({ record }) => record.kind)).toEqual([
      "run",
      "stdout",
      "skipped",
      "stderr",
      "stop",
      "exit",
    ]);
    expect(records.map(({ data }) => data.toString("latin1"))).toEqual([
      "",
      '{"a\n\n',
      "",
      "\u00ff\n{",
      "",
      "",
    ]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(records.at(-1)?.size).toBe(statSync(path).size);
  });

  it("cut at any byte gives its whole records and no part of one, and goes on behind them", async () => {
    writeAll();
    const whole = await readAll();
    const bytes = readFileSync(path);
    for (let length = 0; length <= bytes.length; length += 1) {
      writeFileSync(path, bytes);
      truncateSync(path, length);
      const kept = await readAll();
      expect(kept).toEqual(whole.filter(({ size }) => size <= length));
      const transcript = Transcript.goOn(path, { size: kept.at(-1)?.size ?? 0, full: false });
      transcript.piece("stdout", Buffer.from("more"), 9);
      transcript.close();
      const more = await readAll();
      expect(more.slice(0, -1)).toEqual(kept);
      expect(more.at(-1)?.data.toString()).toBe("more");
    }
  });

  it("is begun once: a run is taken over, never started twice", () => {
    writeAll();
    expect(() => Transcript.begin(path, run)).toThrow(/EEXIST/);
  });

  it("that became too large says so and does not grow", async () => {
    const transcript = Transcript.begin(path, run, 10_000);
    for (let count = 0; count < 100; count += 1) transcript.piece("stdout", Buffer.alloc(1000), 1);
    transcript.close();
    expect(statSync(path).size).toBeLessThan(12_000);
    expect((await readAll()).at(-1)?.record).toEqual({ kind: "full" });
  });
});

function writeAll(): void {
  const transcript = Transcript.begin(path, run);
  transcript.piece("stdout", Buffer.from('{"a\n\n'), 2);
  transcript.skipped(7, 3);
  transcript.piece("stderr", Buffer.from([0xff, 0x0a, 0x7b]), 4);
  transcript.stop({ type: "cancelled", message: "so" });
  transcript.exit({ code: 0, signal: null, reason: "exited" }, 5);
  transcript.close();
}

async function readAll(): Promise<ReadRecord[]> {
  const records: ReadRecord[] = [];
  for await (const record of readTranscript(path)) records.push(record);
  return records;
}
