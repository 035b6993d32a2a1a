import fc from "fast-check";
import { expect, test } from "vitest";
import { DetachKeys } from "./detach-keys.ts";

const ctrlP = "\x10";
const ctrlQ = "\x11";

test("ctrl-p ctrl-q detaches, also when the keys come one by one", () => {
  expect(type(new DetachKeys(undefined), "ls", ctrlP, ctrlQ)).toEqual({ passed: "ls", detached: true });
  expect(type(new DetachKeys(undefined), `ls${ctrlP}${ctrlQ}`)).toEqual({ passed: "ls", detached: true });
});

test("a key that only began the sequence reaches the command", () => {
  expect(type(new DetachKeys(undefined), ctrlP, "x")).toEqual({ passed: `${ctrlP}x`, detached: false });
  expect(type(new DetachKeys(undefined), ctrlP, ctrlP, ctrlQ)).toEqual({ passed: ctrlP, detached: true });
});

test("other keys can be chosen, and none at all", () => {
  expect(type(new DetachKeys("ctrl-a,d"), "\x01d")).toEqual({ passed: "", detached: true });
  expect(type(new DetachKeys(""), ctrlP, ctrlQ)).toEqual({ passed: ctrlP + ctrlQ, detached: false });
  expect(() => new DetachKeys("hello")).toThrow(/not a key/);
});

test("without the sequence, every byte arrives once and in order, however it is split", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array()), (pieces) => {
      const keys = new DetachKeys(undefined);
      const typed = Buffer.concat(pieces);
      fc.pre(!typed.includes(Buffer.from(ctrlP + ctrlQ)));
      const passed = pieces.map((piece) => keys.take(Buffer.from(piece)).pass);
      const flushed = keys.take(Buffer.from("!")).pass;
      expect(Buffer.concat([...passed, flushed])).toEqual(Buffer.concat([typed, Buffer.from("!")]));
    }),
  );
});

function type(keys: DetachKeys, ...typed: string[]): { passed: string; detached: boolean } {
  const taken = typed.map((text) => keys.take(Buffer.from(text, "latin1")));
  return {
    passed: Buffer.concat(taken.map(({ pass }) => pass)).toString("latin1"),
    detached: taken.some(({ detach }) => detach),
  };
}
