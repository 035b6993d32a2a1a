import fc from "fast-check";
import { expect, test } from "vitest";
import { UsageError } from "../errors.ts";
import { commandEnvironment } from "./environment.ts";

const nothing = { words: [], files: [], caller: {} };

test("a name alone takes the caller's value, and is left out where there is none", () => {
  const caller = { TOKEN: "secret", EMPTY: "" };
  expect(commandEnvironment({ ...nothing, words: ["TOKEN", "EMPTY", "ABSENT"], caller })).toEqual({
    TOKEN: "secret",
    EMPTY: "",
  });
});

test("a value may hold anything, also = and line ends", () => {
  expect(commandEnvironment({ ...nothing, words: ["A=b=c\nd", "B="] })).toEqual({ A: "b=c\nd", B: "" });
});

test("files come first, -e wins, comments and blank lines are skipped, quotes are kept", () => {
  const text = "\uFEFF# comment\n\nA=1\r\n  B='two' \nC\n#D=4\n";
  const files = [{ path: "vars", text }];
  expect(commandEnvironment({ words: ["A=9"], files, caller: { C: "3" } })).toEqual({
    A: "9",
    B: "'two' ",
    C: "3",
  });
});

test("a malformed line is named by its place, never by its content", () => {
  const files = [{ path: "vars", text: "A=1\nsecret word=2\n" }];
  const read = () => commandEnvironment({ ...nothing, files });
  expect(read).toThrow(UsageError);
  expect(read).toThrow(/^vars:2: /);
  expect(read).not.toThrow(/secret/);
});

test("names that mean something to JavaScript are names like any other", () => {
  const env = commandEnvironment({ ...nothing, words: ["__proto__=1", "constructor=2"] });
  expect(JSON.parse(JSON.stringify(env))).toEqual(JSON.parse('{"__proto__":"1","constructor":"2"}'));
});

test("what is given comes out", () => {
  const name = fc.string({ minLength: 1 }).filter((text) => !/[\s=\0]/.test(text));
  const value = fc.string().filter((text) => !text.includes("\0"));
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(name, value), { selector: ([key]) => key }), (pairs) => {
      const words = pairs.map(([key, text]) => `${key}=${text}`);
      expect(new Map(Object.entries(commandEnvironment({ ...nothing, words })))).toEqual(new Map(pairs));
    }),
  );
});
