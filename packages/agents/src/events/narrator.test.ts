import { type AgentEvent, agentEvent } from "@opentiger/schema";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PlainLines } from "../command/plain-lines.ts";
import type { AgentReader } from "../driver.ts";
import { Narrator } from "./narrator.ts";
import { Redactor } from "./redactor.ts";

const at = Date.parse("2026-06-01T00:00:00.000Z");

describe("the narrator", () => {
  it("tells the same events however stdout was cut, numbered without a gap", () => {
    const output = fc
      .array(fc.string({ unit: "binary", maxLength: 20 }))
      .map((lines) => Buffer.from(lines.join("\n")));
    fc.assert(
      fc.property(output, fc.nat(40), (all, cut) => {
        const told = tell(all.subarray(0, cut), all.subarray(cut));
        expect(told).toEqual(tell(all));
        expect(told.map(({ seq }) => seq)).toEqual(told.map((_, index) => index + 1));
        for (const event of told) expect(agentEvent.safeParse(event).success).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it("keeps a line that is too long as a raw one with its beginning, and reads on behind it", () => {
    const long = Buffer.alloc(17 * 1024 * 1024, "x");
    const [first, second] = tell(long, Buffer.from("\nnext\n"));
    expect(first).toMatchObject({ type: "raw", stream: "stdout" });
    expect(first?.type === "raw" && first.line.length).toBeLessThan(16 * 1024 + 100);
    expect(first?.type === "raw" && first.line).toContain(`[a line of ${long.length} bytes]`);
    expect(second).toMatchObject({ type: "text", text: "next", seq: 2 });
  });

  it("gives the driver a line of many megabytes whole", () => {
    const lengths: number[] = [];
    const reader: AgentReader = {
      line: (line) => {
        lengths.push(line.length);
        return [];
      },
      ending: () => new PlainLines().ending(),
    };
    const narrator = new Narrator(reader, new Redactor([]));
    for (let count = 0; count < 150; count += 1)
      expect([...narrator.stdout(Buffer.alloc(100_000, "y"), at)]).toEqual([]);
    expect([...narrator.stdout(Buffer.from("\n"), at)]).toEqual([]);
    expect(lengths).toEqual([15_000_000]);
  });

  it("keeps as raw what a driver stumbles over", () => {
    const reader: AgentReader = {
      line: () => {
        throw new Error("what is this?");
      },
      ending: () => new PlainLines().ending(),
    };
    expect([...new Narrator(reader, new Redactor([])).stdout(Buffer.from("{\n"), at)]).toMatchObject([
      { type: "raw", stream: "stdout", line: "{" },
    ]);
  });

  it("hides a value that a line was cut in, and one that comes out only when it was read", () => {
    const secret = "sk-very-secret-0123456789";
    const redactor = new Redactor([secret]);
    const reader: AgentReader = {
      line: (line) => [{ type: "text", text: String(JSON.parse(line)) }],
      ending: () => ({ ...new PlainLines().ending(), lastText: secret, answer: { key: secret } }),
    };
    const narrator = new Narrator(reader, redactor);
    const escaped = JSON.stringify(secret).replace("s", "\\u0073");
    const told = [...narrator.stdout(Buffer.from(`${escaped}\n`), at)];
    const head = Buffer.alloc(15 * 1024, "x");
    head.write(secret.slice(0, 12), head.length - 12);
    told.push(
      ...narrator.stderr(Buffer.concat([head, Buffer.from(secret.slice(12)), Buffer.alloc(2048, "x")]), at),
    );
    told.push(...narrator.end(at));
    expect(told).toHaveLength(2);
    expect(JSON.stringify([told, narrator.ending()])).not.toContain("very-sec");
  });

  it("counts what came too fast, and tells it once", () => {
    const narrator = new Narrator(new PlainLines(), new Redactor([]));
    const told = [
      ...narrator.stderr(Buffer.from("begun"), at),
      ...narrator.skipped(1000, at),
      ...narrator.skipped(234, at),
      ...narrator.stderr(Buffer.from("after\n"), at),
      ...narrator.end(at),
    ];
    expect(told.map((event) => event.type === "raw" && event.line)).toEqual([
      "begun",
      "… [1234 bytes came too fast]",
      "after",
    ]);
  });
});

function tell(...pieces: readonly Buffer[]): AgentEvent[] {
  const narrator = new Narrator(new PlainLines(), new Redactor([]));
  return [...pieces.flatMap((piece) => [...narrator.stdout(piece, at)]), ...narrator.end(at)];
}
