import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { Journal } from "./journal.ts";

let folder: string;
const oid = z.object({ oid: z.string() });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ot-journal-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("a step that is known is not done again, by whoever opens the journal next", async () => {
  let done = 0;
  const work = async () => ({ oid: `abc${++done}` });
  expect(await new Journal(folder).step("commit", oid, work)).toEqual({ oid: "abc1" });
  expect(await new Journal(folder).step("commit", oid, work)).toEqual({ oid: "abc1" });
  expect(await new Journal(folder).step("pin", oid, work)).toEqual({ oid: "abc2" });
  expect(done).toBe(2);
});

it("of two who did a step at once, one of them asleep in between, the first one's result is everybody's", async () => {
  const [awake, asleep] = [new Journal(folder), new Journal(folder)];
  const late = await asleep.step("start", oid, async () => {
    await awake.step("start", oid, async () => ({ oid: "newer" }));
    return { oid: "older" };
  });
  expect(late).toEqual({ oid: "newer" });
  expect(await awake.known("start", oid)).toEqual({ oid: "newer" });
  expect(readdirSync(folder)).toEqual(["start.json"]);
});

it("a step that failed is not known, and is done again", async () => {
  const journal = new Journal(join(folder, "not", "there", "yet"));
  const failing = journal.step("commit", oid, () => Promise.reject(new Error("no disk")));
  await expect(failing).rejects.toThrow("no disk");
  expect(await journal.known("commit", oid)).toBeUndefined();
  expect(await journal.step("commit", oid, async () => ({ oid: "abc" }))).toEqual({ oid: "abc" });
});

it("what is kept has the form that was asked for, and is for its owner alone", async () => {
  const journal = new Journal(join(folder, "run"));
  const more = { oid: "abc", secret: "not asked for" };
  await journal.step("commit", oid, async () => more);
  expect(readFileSync(join(journal.folder, "commit.json"), "utf8")).toBe('{"oid":"abc"}');
  expect(statSync(journal.folder).mode & 0o077).toBe(0);
  expect(readdirSync(journal.folder)).toEqual(["commit.json"]);
});

it("a file of another form is an error, and never a step that is done", async () => {
  const journal = new Journal(folder);
  writeFileSync(join(folder, "commit.json"), '{"oid":3}');
  await expect(journal.step("commit", oid, async () => ({ oid: "abc" }))).rejects.toThrow(/oid/);
});
