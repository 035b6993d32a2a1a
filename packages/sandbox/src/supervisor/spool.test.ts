import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Spool, type StreamName } from "./spool.ts";

const writes = fc.array(
  fc.record({
    stream: fc.constantFrom<StreamName>("stdout", "stderr"),
    bytes: fc.uint8Array({ minLength: 1, maxLength: 40 }),
  }),
  { minLength: 1, maxLength: 40 },
);

describe("the spool", () => {
  it("gives a reader every byte after its offsets once, wherever it starts and whatever was acknowledged", () => {
    fc.assert(
      fc.property(writes, fc.nat(), fc.nat(), (written, a, b) => {
        const spool = new Spool(1024 * 1024);
        const all = { stdout: "", stderr: "" };
        for (const { stream, bytes } of written) {
          spool.append(stream, Buffer.from(bytes));
          all[stream] += Buffer.from(bytes).toString("hex");
        }
        const from = { stdout: a % (spool.written.stdout + 1), stderr: b % (spool.written.stderr + 1) };
        spool.acknowledge("stdout", from.stdout);
        spool.acknowledge("stderr", from.stderr);
        expect(spool.holds(from)).toBe(true);
        const read = { stdout: "", stderr: "" };
        const reader = spool.reader(from);
        for (let chunk = reader.next(); chunk; chunk = reader.next())
          read[chunk.stream] += chunk.data.toString("hex");
        expect(read.stdout).toBe(all.stdout.slice(from.stdout * 2));
        expect(read.stderr).toBe(all.stderr.slice(from.stderr * 2));
      }),
    );
  });

  it("frees what is acknowledged, and says so honestly to a reader that wants it back", () => {
    const spool = new Spool(100);
    spool.append("stdout", Buffer.alloc(200));
    expect(spool.full).toBe(true);
    spool.acknowledge("stdout", 200);
    expect(spool.full).toBe(false);
    expect(spool.bytes).toBe(0);
    expect(spool.holds({ stdout: 0, stderr: 0 })).toBe(false);
  });

  it("is bounded by the number of writes too, not only by their bytes", () => {
    const spool = new Spool(10_000);
    let count = 0;
    while (!spool.full) {
      spool.append("stdout", Buffer.from("x"));
      count += 1;
    }
    expect(count).toBeLessThan(100);
  });
});
