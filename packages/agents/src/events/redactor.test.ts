import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Redactor, shortestSecret } from "./redactor.ts";
import { cutText, withTexts } from "./text.ts";

const secret = fc
  .string({ minLength: shortestSecret, maxLength: 40 })
  .filter((value) => !value.includes("*"));
const around = fc.string({ maxLength: 30 });

describe("redaction", () => {
  it("leaves no known value in a text, wherever it stands and however often", () => {
    fc.assert(
      fc.property(fc.array(secret, { minLength: 1, maxLength: 3 }), fc.array(around), (secrets, words) => {
        const text = words.join(secrets[words.length % secrets.length]);
        const clean = new Redactor(secrets).text(text);
        for (const value of secrets) expect(clean).not.toContain(value);
        expect(clean).toHaveLength(text.length);
      }),
    );
  });

  it("leaves nothing known of a value that the text was cut in, at either end", () => {
    fc.assert(
      fc.property(secret, around, fc.nat(), (value, before, at) => {
        const cut = shortestSecret + (at % (value.length - shortestSecret + 1));
        const redactor = new Redactor([value]);
        expect(redactor.text(before + value.slice(0, cut)).endsWith("*".repeat(cut))).toBe(true);
        expect(redactor.text(value.slice(-cut) + before).startsWith("*".repeat(cut))).toBe(true);
      }),
    );
  });

  it("changes nothing in a text without one", () => {
    fc.assert(
      fc.property(around, (text) => {
        expect(new Redactor(["a value that is nowhere else"]).text(text)).toBe(text);
      }),
    );
  });

  it("finds it in JSON, in JSON within JSON, in a URL, and line by line", () => {
    const value = 'pass"word\\with/quotes & more';
    const clean = (text: string): string => new Redactor([value]).text(text);
    expect(clean(JSON.stringify({ value }))).not.toContain("with/quotes");
    expect(clean(JSON.stringify({ text: JSON.stringify({ value }) }))).not.toContain("with/quotes");
    expect(clean(`https://host/?q=${encodeURIComponent(value)}`)).toBe(
      `https://host/?q=${"*".repeat(encodeURIComponent(value).length)}`,
    );
    const key = "-----BEGIN KEY-----\nMIIEvQIBADANBgkq\n-----END KEY-----";
    expect(new Redactor([key]).text("the second line: MIIEvQIBADANBgkq")).toBe(
      `the second line: ${"*".repeat(16)}`,
    );
  });

  it("masks the whole of two values that overlap", () => {
    const redactor = new Redactor(["12345678XXXX", "XXXXabcdefgh"]);
    expect(redactor.text("12345678XXXXabcdefgh")).toBe("*".repeat(20));
  });

  it("does not touch words that are too short to be a secret", () => {
    expect(new Redactor(["", "1234567"]).text("1234567 and more")).toBe("1234567 and more");
  });

  it("reaches every string of a value, names too", () => {
    const redactor = new Redactor(["sk-0123456789"]);
    const value = { a: ["x sk-0123456789", 1, null], "sk-0123456789": true };
    expect(withTexts(value, (text) => redactor.text(text))).toEqual({
      a: ["x *************", 1, null],
      "*************": true,
    });
  });

  it("before a cut leaves nothing for the cut to show", () => {
    fc.assert(
      fc.property(secret, around, fc.integer({ min: 1, max: 60 }), (value, before, limit) => {
        const shown = cutText(new Redactor([value]).text(before + value), limit);
        expect(shown).not.toContain(value.slice(0, shortestSecret));
      }),
    );
  });
});
