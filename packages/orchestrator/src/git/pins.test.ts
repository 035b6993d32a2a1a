import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loopScene } from "./git-fixture.ts";

describe("pins", () => {
  test("keep commits by name until they are taken away, and have no lock that could stay", async () => {
    const { own, baseOid, derive } = await loopScene();
    const other = await derive({ x: "x\n" });
    writeFileSync(join(own.path, "packed-refs.lock"), "");
    mkdirSync(join(own.path, "refs/opentiger/loop1/task-1"), { recursive: true });
    writeFileSync(join(own.path, "refs/opentiger/loop1/task-1/candidate.lock"), "");
    await own.pin("loop1", "task-1/candidate", baseOid);
    await own.pin("loop1", "task-1/candidate", other);
    await own.pin("loop1", "branch", other);
    expect(Object.fromEntries(await own.pins("loop1"))).toEqual({
      base: baseOid,
      branch: other,
      "task-1/candidate": other,
    });
    await own.unpin("loop1", "branch");
    await own.unpin("loop1", "branch");
    expect([...(await own.pins("loop1")).keys()]).toEqual(["base", "task-1/candidate"]);
    await own.dropLoop("loop1");
    await own.dropLoop("loop1");
    expect((await own.pins("loop1")).size).toBe(0);
    expect((await own.pins("loop2")).size).toBe(1);
  });

  test("have names of ours only", async () => {
    const { own, baseOid } = await loopScene();
    for (const name of ["../../HEAD", "a..b", "", "a/", "x.lock", "a b"]) {
      await expect(own.pin("loop1", name, baseOid)).rejects.toMatchObject({ code: "internal" });
    }
    await expect(own.dropLoop("..")).rejects.toMatchObject({ code: "internal" });
    await expect(own.pin("loop1", "x", "HEAD")).rejects.toMatchObject({ code: "internal" });
  });
});
