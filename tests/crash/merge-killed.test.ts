import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { TemporaryJudgedLoop } from "../../packages/orchestrator/src/fixture/temporary-judged-loop.ts";
import {
  type TemporaryPlace,
  temporaryPlace,
} from "../../packages/orchestrator/src/fixture/temporary-place.ts";
import { mergeStage, mergeSteps } from "../../packages/orchestrator/src/merging/merge-stage.ts";
import { reconcile } from "../../packages/orchestrator/src/recovery/reconcile/reconcile.ts";
import { type Lease, takeOver } from "../../packages/orchestrator/src/state/lease.ts";
import { atEnd } from "../setup/at-end.ts";
import { bundledProgram } from "../setup/bundled-program.ts";

const script = await bundledProgram(new URL("./merging-process.ts", import.meta.url));

let place: TemporaryPlace;

beforeAll(async () => {
  place = await temporaryPlace();
  atEnd(() => place.remove());
}, 60_000);

test.each([...mergeSteps])(
  "kill -9 of a merger after the step %s: the task is merged once, and the branch is shown",
  async (step) => {
    const loop = await TemporaryJudgedLoop.begin(place, {
      files: { "README.md": "empty\n" },
      tasks: [{ title: "one", role: "worker", instructions: "Do it.", needs: [], allowedPaths: ["one.txt"] }],
    });
    atEnd(() => loop.remove());
    await loop.submit(1, { "one.txt": "1\n" });
    await loop.pass(1);
    const lease = await loop.claim(1, "first");
    expect(await merger(lease, step)).toBe("SIGKILL");

    if ((await loop.task(1)).state !== "done") {
      const taker = { owner: "second", leaseMs: 60_000, deadOwner: "first" };
      const next = await takeOver(place.database, lease, taker);
      if (!next) throw new Error("nobody can take it over");
      await mergeStage(place, next, new AbortController().signal);
    }
    await reconcile(place);

    expect(await loop.shown()).toEqual(["one"]);
    const { state, branchOid, projectedOid } = await loop.row();
    expect({ state, projectedOid }).toEqual({ state: "done", projectedOid: branchOid });
    expect((await loop.task(1)).mergedOid).toBe(branchOid);
    expect(lockFiles(loop.repository.path)).toEqual([]);
  },
  60_000,
);

async function merger(lease: Lease, step: string): Promise<NodeJS.Signals | null> {
  const child = spawn(process.execPath, [script, JSON.stringify(lease), step], {
    env: { ...process.env, ...place.env },
    stdio: ["ignore", "inherit", "inherit"],
  });
  const [, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  return signal;
}

function lockFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".lock"));
}
