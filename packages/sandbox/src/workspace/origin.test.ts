import { expect, test } from "vitest";
import { publicOrigin } from "./origin.ts";

test.each([
  ["https://example.com/o/r.git", "https://example.com/o/r.git"],
  ["https://user:token@example.com/o/r.git?x=1#y", "https://example.com/o/r.git"],
  ["https://token@example.com:8443/o/r", "https://example.com:8443/o/r"],
  ["ssh://git@example.com:22/o/r.git", "ssh://git@example.com:22/o/r.git"],
  ["ssh://me:secret@example.com/o/r.git", "ssh://git@example.com/o/r.git"],
  ["git@example.com:o/r.git", "git@example.com:o/r.git"],
  ["me@example.com:o/r.git", "git@example.com:o/r.git"],
  ["example.com:o/r.git", "git@example.com:o/r.git"],
  ["/srv/git/r.git", undefined],
  ["../r", undefined],
  ["./a:b", undefined],
  ["file:///srv/git/r.git", undefined],
  ["ext::sh -c id", undefined],
  ["https://example.com/\nx", undefined],
  ["", undefined],
  [undefined, undefined],
])("%j is known inside as %j", (url, known) => {
  expect(publicOrigin(url)).toBe(known);
});
