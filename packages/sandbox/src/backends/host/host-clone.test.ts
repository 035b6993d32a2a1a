import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { hostClonePath, makeCloneFolder, removeStrayClones } from "./host-clone.ts";

let state: string;

beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), "ot-clones-"));
});

afterEach(() => rmSync(state, { recursive: true, force: true }));

it("clones that no sandbox has are removed, and none that another process makes meanwhile", () => {
  for (const id of ["left", "used"]) made(id);
  removeStrayClones(state, () => {
    // Its record was written a moment after these were read.
    made("new");
    return ["used"];
  });
  expect(readdirSync(join(state, "clones")).toSorted()).toEqual(["new", "used"]);
});

it("where there never was a clone there is nothing to remove", () => {
  removeStrayClones(state, () => []);
  expect(readdirSync(state)).toEqual([]);
});

function made(id: string): void {
  makeCloneFolder(hostClonePath(state, id, "/somewhere/project"));
}
