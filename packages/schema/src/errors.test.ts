import { expect, it } from "vitest";
import { CodedError, errno, isErrorCode } from "./errors.ts";

it("tells codes of ours from all others, names of every object's own parts among them", () => {
  expect(["usage", "not_found"].map(isErrorCode)).toEqual([true, true]);
  expect(["ENOENT", "constructor", "", undefined, 64].map(isErrorCode)).toEqual(Array(5).fill(false));
});

it("an error says how a command ends with it, and is written without its cause", () => {
  const cause = new Error("with a secret in it");
  const error = new CodedError("not_found", "there is no x", { remedy: "make one", cause });
  expect(error.exitCode).toBe(66);
  expect(JSON.stringify(error)).toBe('{"code":"not_found","message":"there is no x","remedy":"make one"}');
  expect(JSON.stringify(new CodedError("usage", "no"))).toBe('{"code":"usage","message":"no"}');
});

it("reads the code of an error of another's, and none of what has none", () => {
  expect(errno(Object.assign(new Error("gone"), { code: "ENOENT" }))).toBe("ENOENT");
  expect([new Error("plain"), "ENOENT", undefined].map(errno)).toEqual([undefined, undefined, undefined]);
});
