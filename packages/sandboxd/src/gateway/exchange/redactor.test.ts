import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Redactor } from "./redactor.ts";

const secret = "sk-ant-1234567890";
const mask = "*".repeat(secret.length);

function fed(redactor: Redactor, pieces: readonly Buffer[]): string {
  const out = pieces.map((piece) => Buffer.from(redactor.feed(piece)));
  return Buffer.concat([...out, redactor.end()]).toString("latin1");
}

/** Cuts at any places, and so also in the middle of a secret, at its edges and into single bytes. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const edges = [
    0,
    ...places.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b),
    bytes.length,
  ];
  return edges.slice(1).map((end, index) => bytes.subarray(edges[index], end));
}

/** Text in which the secret, its beginnings and its letters are frequent. */
const text = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constant(secret) },
      { weight: 3, arbitrary: fc.nat(secret.length).map((length) => secret.slice(0, length)) },
      fc.string({ unit: "binary-ascii" }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

describe("a secret in an answer", () => {
  it("is masked wherever the answer is cut, and nothing else is changed", () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat(), { maxLength: 40 }), (whole, places) => {
        const out = fed(new Redactor([secret]), cut(Buffer.from(whole, "latin1"), places));
        expect(out).toBe(whole.replaceAll(secret, mask));
      }),
      { numRuns: 2000 },
    );
  });

  it("is masked also where it repeats itself", () => {
    const twice = "abcabcabcab";
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("abc", "ab", "a", twice), { maxLength: 20 }).map((parts) => parts.join("")),
        fc.array(fc.nat(), { maxLength: 20 }),
        (whole, places) => {
          const out = fed(new Redactor([twice]), cut(Buffer.from(whole), places));
          expect(out).toBe(whole.replaceAll(twice, "*".repeat(twice.length)));
        },
      ),
      { numRuns: 1000 },
    );
  });

  it("leaves nothing of several secrets whole", () => {
    const others = [secret, "second-secret-value", "account-0001"];
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom(...others), fc.string({ maxLength: 4 })), { maxLength: 12 }),
        fc.array(fc.nat(), { maxLength: 20 }),
        (parts, places) => {
          const bytes = Buffer.from(parts.join(""));
          const out = fed(new Redactor(others), cut(bytes, places));
          for (const other of others) expect(out).not.toContain(other);
          expect(out).toHaveLength(bytes.toString("latin1").length);
        },
      ),
    );
  });

  it("is masked in its form for URLs, too", () => {
    const redactor = new Redactor(["key/with+signs=="]);
    expect(redactor.text("?k=key%2Fwith%2Bsigns%3D%3D&x")).toBe(`?k=${"*".repeat(24)}&x`);
  });

  it("holds nothing back of what cannot be one", () => {
    const redactor = new Redactor([secret]);
    expect(redactor.feed(Buffer.from("data: 1\n\n")).toString()).toBe("data: 1\n\n");
    expect(redactor.feed(Buffer.from("data: sk-")).toString()).toBe("data: ");
    expect(redactor.feed(Buffer.from("x\n\n")).toString()).toBe("sk-x\n\n");
  });
});
