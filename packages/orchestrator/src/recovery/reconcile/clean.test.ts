import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { newLoop, newTask, startedRun } from "../../fixture/temporary-loops.ts";
import { type TemporaryPlace, temporaryPlace } from "../../fixture/temporary-place.ts";
import { cancelLoop } from "../../loops/cancel-loop.ts";
import { addArtifact, artifactBytes } from "../../state/artifacts.ts";
import { change } from "../../state/change.ts";
import { noteRun, type RunRow } from "../../state/runs.ts";
import { clean } from "./clean.ts";

let place: TemporaryPlace;

beforeAll(async () => {
  place = await temporaryPlace();
});

beforeEach(async () => {
  await place.database.query("truncate loops, repositories cascade");
  place.lines.length = 0;
});

afterAll(() => place.remove());

it("artifacts go when their time is over, and the oldest when there are too many", async () => {
  await newLoop(place.database, [newTask("a")]);
  const { run } = await startedRun(place.database);
  await place.config.patch({ OPENTIGER_ARTIFACTS_SIZE: "10m" }, "test");
  const megabyte = 1024 * 1024;
  const [expired, oldest, newest] = ["expired", "oldest", "newest"].map((name) => fileOf(run, name)) as [
    string,
    string,
    string,
  ];
  const about = { run: run.id, kind: "log" };
  await addArtifact(place.database, { ...about, path: oldest, bytes: 6 * megabyte, keepMs: 60_000 });
  await addArtifact(place.database, { ...about, path: newest, bytes: 6 * megabyte, keepMs: 60_000 });
  await addArtifact(place.database, { ...about, path: expired, bytes: 1, keepMs: -1 });
  await Promise.all([clean(place), clean(place)]);
  expect([expired, oldest, newest].map((path) => existsSync(path))).toEqual([false, false, true]);
  expect(await artifactBytes(place.database)).toBe(6 * megabyte);
  expect(place.lines).toEqual([]);
});

it("files of a run stay while its loop is open, and then only its artifacts do", async () => {
  const { loop } = await newLoop(place.database, [newTask("a")]);
  const { lease, run } = await startedRun(place.database);
  const [journal, diff] = [fileOf(run, "candidate.json"), fileOf(run, "diff")];
  await addArtifact(place.database, { run: run.id, kind: "diff", path: diff, bytes: 1, keepMs: 60_000 });
  await clean(place);
  expect([journal, diff].map((path) => existsSync(path))).toEqual([true, true]);
  const ended = { what: "run", id: run.id, by: "succeed", from: "running", fence: lease.fence } as const;
  await change(place.database, ended);
  await cancelLoop(place.database, loop.id);
  await clean(place);
  expect(readdirSync(join(place.folder, "runs", run.id))).toEqual(["diff"]);
});

it("conversations stay while they may be gone on with", async () => {
  const { loop } = await newLoop(place.database, [newTask("a")]);
  const { lease, run } = await startedRun(place.database);
  await noteRun(place.database, lease, run.id, { session: "known-one" });
  const folder = join(place.folder, "sessions");
  mkdirSync(folder, { recursive: true });
  for (const name of ["claude_code-known-one", "codex-unknown"]) writeFileSync(join(folder, name), "words");
  await clean(place);
  expect(readdirSync(folder).toSorted()).toEqual(["claude_code-known-one", "codex-unknown"]);
  await cancelLoop(place.database, loop.id);
  utimesSync(join(folder, "codex-unknown"), new Date(0), new Date(0));
  await clean(place);
  expect(readdirSync(folder)).toEqual([]);
});

it("files of no known run are kept while they are new", async () => {
  const folder = join(place.folder, "runs", "00000000-0000-4000-8000-000000000000");
  mkdirSync(folder, { recursive: true });
  await clean(place);
  expect(existsSync(folder)).toBe(true);
});

function fileOf({ id }: RunRow, name: string): string {
  const folder = join(place.folder, "runs", id);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  writeFileSync(path, name);
  return path;
}
