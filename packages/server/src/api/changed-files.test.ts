import { describe, expect, test } from "vitest";
import { readChanges, readPaths } from "./changed-files.ts";

const zeros = "0".repeat(7);

describe("what git says of changed files", () => {
  test("each has its status and its lines, whatever its name looks like", () => {
    const text = [
      `:100644 100644 1111111 ${zeros} M`,
      "a b.ts",
      `:000000 100644 ${zeros} ${zeros} A`,
      "1\t2\todd",
      `:100644 000000 1111111 ${zeros} D`,
      "gone",
      `:100644 100644 1111111 ${zeros} M`,
      "picture.png",
      "3\t1\ta b.ts",
      "5\t0\t1\t2\todd",
      "0\t7\tgone",
      "-\t-\tpicture.png",
      "",
    ].join("\0");
    expect(readChanges(text)).toEqual([
      { path: "a b.ts", status: "modified", added: 3, removed: 1 },
      { path: "1\t2\todd", status: "added", added: 5, removed: 0 },
      { path: "gone", status: "deleted", added: 0, removed: 7 },
      { path: "picture.png", status: "modified", added: null, removed: null },
    ]);
  });

  test("nothing is nothing", () => {
    expect(readChanges("")).toEqual([]);
    expect(readPaths("")).toEqual([]);
  });
});
