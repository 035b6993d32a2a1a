import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readQuestion, responseCode, writeAnswer } from "./dns-message.ts";

describe("a question", () => {
  it("is read, and answered with its own bytes and one address", () => {
    const question = readQuestion(ask("Www.Example.test"));
    if (!question) throw new Error("not read");
    expect(question).toMatchObject({ id: 7, opcode: 0, name: "Www.Example.test", type: 1, class: 1 });
    const answer = writeAnswer(question, { code: responseCode.ok, address: "127.64.1.2", ttl: 30 });
    expect(answer.readUInt16BE(0)).toBe(7);
    expect(answer.readUInt16BE(2)).toBe(0x8180);
    expect(answer.readUInt16BE(6)).toBe(1);
    expect(answer.subarray(12, 12 + question.wire.length)).toEqual(question.wire);
    expect([...answer.subarray(-4)]).toEqual([127, 64, 1, 2]);
    expect(answer.readUInt32BE(answer.length - 10)).toBe(30);
  });

  it("may carry more behind it, as EDNS does", () => {
    const more = Buffer.concat([ask("a.test"), Buffer.from([0, 0, 41, 4, 208, 0, 0, 0, 0, 0, 0])]);
    more.writeUInt16BE(1, 10);
    expect(readQuestion(more)?.name).toBe("a.test");
  });

  it("that has no answer says so", () => {
    const question = readQuestion(ask("a.test"));
    if (!question) throw new Error("not read");
    const answer = writeAnswer(question, { code: responseCode.noSuchName });
    expect(answer.readUInt16BE(2) & 0xf).toBe(3);
    expect(answer.readUInt16BE(6)).toBe(0);
    expect(answer.length).toBe(12 + question.wire.length);
  });
});

describe("what is no question", () => {
  it.each([
    ["an answer", (bytes: Buffer) => void bytes.writeUInt16BE(0x8180, 2)],
    ["two questions", (bytes: Buffer) => void bytes.writeUInt16BE(2, 4)],
    ["a compressed name", (bytes: Buffer) => void bytes.writeUInt8(0xc0, 12)],
    ["a label beyond the end", (bytes: Buffer) => void bytes.writeUInt8(60, 12)],
  ])("%s is dropped", (_what, spoil) => {
    const bytes = ask("a.test");
    spoil(bytes);
    expect(readQuestion(bytes)).toBeUndefined();
  });

  it("is dropped when it is cut anywhere, or too long", () => {
    const bytes = ask("cut.test");
    for (let end = 0; end < bytes.length; end += 1)
      expect(readQuestion(bytes.subarray(0, end))).toBeUndefined();
    expect(readQuestion(Buffer.concat([bytes, Buffer.alloc(512)]))).toBeUndefined();
    expect(readQuestion(ask(Array(50).fill("label").join(".")))).toBeUndefined();
  });

  it("never makes it fail, whatever the bytes", () => {
    const header = fc.constant(ask("a.test").subarray(0, 12));
    const any = fc.uint8Array({ maxLength: 600 });
    const behindHeader = fc.tuple(header, any).map(([head, rest]) => Buffer.concat([head, rest]));
    fc.assert(
      fc.property(fc.oneof(any, behindHeader), (bytes) => {
        const question = readQuestion(Buffer.from(bytes));
        if (question)
          expect(writeAnswer(question, { code: 0, address: "127.64.0.1" }).length).toBeLessThan(600);
      }),
      { numRuns: 2000 },
    );
  });
});

function ask(name: string, type = 1): Buffer {
  const header = Buffer.from([0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
  const labels = name.split(".").map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`));
  return Buffer.concat([header, ...labels, Buffer.from([0, 0, type, 0, 1])]);
}
