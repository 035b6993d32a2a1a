import { existsSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { TemporaryJudgedLoop } from "../../fixture/temporary-judged-loop.ts";
import { type TemporaryPlace, temporaryPlace } from "../../fixture/temporary-place.ts";
import { ensureRepository } from "../../state/repositories.ts";
import { clean } from "./clean.ts";
import { tidiedName } from "./tidying.ts";

const longAgo = new Date("2020-01-01");

let place: TemporaryPlace;

beforeAll(async () => {
  place = await temporaryPlace();
});

afterAll(() => place.remove());

it("our repositories lose once a day what no loop needs any more", async () => {
  const tasks = [
    { title: "one", role: "worker", instructions: "Do it.", needs: [], allowedPaths: [] },
  ] as const;
  const settings = { environment: "host" } as const;
  const loop = await TemporaryJudgedLoop.begin(place, { files: { "one.txt": "1\n" }, tasks, settings });
  const { repository } = loop;
  const { baseOid } = await loop.row();
  const tree = await repository.tree(baseOid ?? "");
  const author = { name: "Ada", email: "ada@example.com" };
  const unneeded = async (message: string): Promise<string> => {
    const oid = await repository.commit({ tree, parents: [], message, author, date: longAgo });
    utimesSync(join(repository.path, "objects", oid.slice(0, 2), oid.slice(2)), longAgo, longAgo);
    return oid;
  };
  const stamp = join(repository.path, tidiedName);
  const first = await unneeded("first\n");
  await clean(place);
  expect(await repository.has(first), "a day has not passed since it was first looked at").toBe(true);
  utimesSync(stamp, longAgo, longAgo);
  await clean(place);
  expect(await repository.has(first)).toBe(false);
  const second = await unneeded("second\n");
  await clean(place);
  expect(await repository.has(second), "it was done today").toBe(true);
  expect(Date.now() - statSync(stamp).mtimeMs).toBeLessThan(600_000);
  expect(place.lines).toEqual([]);
  loop.remove();
});

it("a repository that is not on this machine is not made for it", async () => {
  const { id } = await ensureRepository(place.database, { path: "/elsewhere", name: "elsewhere" });
  await clean(place);
  expect(existsSync(join(place.folder, "repositories", `${id}.git`))).toBe(false);
  expect(place.lines).toEqual([]);
});

it("what is broken off because the process ends is no trouble to tell of", async () => {
  const stop = new AbortController();
  const ending = {
    ...place,
    backend: async () => {
      stop.abort();
      throw new Error("it was cancelled");
    },
  };
  await clean(ending, { signal: stop.signal });
  expect(place.lines).toEqual([]);
  const isWhole = await clean({ ...place, backend: () => Promise.reject(new Error("it is broken")) });
  expect(isWhole, "what failed is for the next pass").toBe(false);
  expect(place.lines).toContain("sandboxes: Error: it is broken");
});
