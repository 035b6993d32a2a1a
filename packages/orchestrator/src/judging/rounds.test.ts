import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { until } from "../../../../tests/setup/until.ts";
import { TemporaryJudgedLoop } from "../fixture/temporary-judged-loop.ts";
import { type TemporaryPlace, temporaryPlace } from "../fixture/temporary-place.ts";
import { LeaseLost } from "../stage/lease-lost.ts";
import { listJudgements } from "../state/judgements.ts";
import { takeOver } from "../state/lease.ts";
import { judgeStage } from "./judge-stage.ts";
import { openJudging } from "./judging.ts";
import { withOwnSandbox } from "./own-sandbox.ts";
import { runRound } from "./rounds.ts";

const never = new AbortController().signal;
let place: TemporaryPlace;
let loop: TemporaryJudgedLoop;

const sign = (name: string): string => join(place.folder, name);

/** It waits for a word in the state folder, and says that it does. */
const waiting = 'touch "$SIGNS/waiting"; until test -e "$SIGNS/go"; do sleep 0.05; done';

beforeAll(async () => {
  place = await temporaryPlace();
  const project = { setup: ["true"], verify: [waiting], env: { SIGNS: place.folder } };
  const task = { role: "worker", instructions: "Do it.", needs: [], allowedPaths: [] } as const;
  loop = await TemporaryJudgedLoop.begin(place, {
    files: { "opentiger.json": JSON.stringify(project), "package.json": "{}", "package-lock.json": "{}" },
    settings: { environment: "host" },
    tasks: ["Taken over", "Too slow", "Slept over"].map((title) => ({ ...task, title })),
  });
});

afterAll(async () => {
  loop.remove();
  await place.remove();
});

it("a project is not set up again under checks that run already, whoever takes them over", async () => {
  const commit = await loop.submit(1, { "package-lock.json": '{ "lockfileVersion": 3 }' });
  const commands = [{ command: waiting }];
  const round = { part: "checks", tree: "as_is", commit, commands, isSetUpAgain: true } as const;
  const stop = new AbortController();
  const lease = await loop.claim(1, "first");
  const first = runRound(await openJudging(place, lease, stop.signal), round);
  await until("the check runs", () => existsSync(sign("waiting")));
  stop.abort(new LeaseLost(lease.stage));
  await expect(first).rejects.toBeInstanceOf(LeaseLost);
  const next = await takeOver(place.database, lease, {
    owner: "second",
    leaseMs: 60_000,
    deadOwner: "first",
  });
  if (!next) throw new Error("nobody can take it over");
  const before = place.lines.length;
  writeFileSync(sign("go"), "");
  const { results } = await runRound(await openJudging(place, next, never), round);
  expect(results).toMatchObject([{ command: waiting, result: "passed" }]);
  expect(place.lines.slice(before).filter((line) => line.includes("set-up:"))).toEqual([]);
});

it("a judge that slept leaves the sandbox alone that another made by the name of its own", async () => {
  const commit = await loop.submit(3, { "src/other.js": "export {};\n" });
  const judging = await openJudging(place, await loop.claim(3), never);
  const backend = await place.backend("host");
  const asked = { part: "checks", commit, phase: "verify", execs: "none" } as const;
  const next = await withOwnSandbox(judging, asked, async ({ name, id }) => {
    await backend.remove(name, { force: true, id });
    const workspaces = [{ path: loop.user, readOnly: false }];
    const made = await backend.create({ name, agent: "shell", workspaces });
    await made.close();
    return made;
  });
  expect((await backend.list()).filter(({ id }) => id === next.id)).toHaveLength(1);
  await backend.remove(next.name, { force: true });
});

it("a judgement that takes longer than it may is inconclusive", async () => {
  rmSync(sign("go"), { force: true });
  await place.config.patch({ OPENTIGER_JUDGE_TIMEOUT: "10s" }, "test");
  await loop.submit(2, { "src/slow.js": "export {};\n" });
  await judgeStage(place, await loop.claim(2), never);
  const { items } = await listJudgements(place.database, { task: (await loop.task(2)).id });
  expect(items).toMatchObject([
    { judgement: "inconclusive", evidence: { trouble: "the judgement took longer than it may" } },
  ]);
  await place.config.patch({ OPENTIGER_JUDGE_TIMEOUT: null }, "test");
});
