import { setTimeout as sleep } from "node:timers/promises";
import { SandboxError } from "@opentiger/sandbox";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { until } from "../../../../tests/setup/until.ts";
import { OrchestratorError } from "../errors.ts";
import { temporaryDatabase } from "../fixture/temporary-database.ts";
import { claimed, claimOf, newLoop, newTask, submit } from "../fixture/temporary-loops.ts";
import { cancelTask } from "../loops/cancel-task.ts";
import { type OpenPlace, openPlace } from "../process/open-place.ts";
import { LeaseLost } from "../stage/lease-lost.ts";
import { claimStage } from "../state/claims.ts";
import type { Lease } from "../state/lease.ts";
import { openStage } from "../state/stages.ts";
import { executeStage } from "./execute-stage.ts";
import { mostTakeOvers } from "./taken-over.ts";
import type { StageWork } from "./work.ts";

const instance = await temporaryDatabase();

const leaseMs = 900;

let place: OpenPlace;
let lease: Lease;
let failures: unknown[];

beforeAll(async () => {
  place = await openPlace(instance.env, { program: "test" });
});

beforeEach(async () => {
  failures = [];
  await place.database.query("truncate loops, repositories cascade");
  await newLoop(place.database, [newTask("a")]);
  lease = await claimed(claimStage(place.database, { ...claimOf("me"), leaseMs }));
});

afterAll(async () => {
  await place.close();
  await instance.remove();
});

it("work that is done is over, and nothing has failed", async () => {
  await execute(() => submit(place.database, lease));
  expect(failures).toEqual([]);
});

it.each([
  new OrchestratorError("database_unavailable", "the server was killed"),
  new SandboxError("engine_unavailable", "the engine is restarting"),
  new SandboxError("sandboxd_unavailable", "sandboxd was killed"),
  new SandboxError("session_lost", "the session is gone"),
  new SandboxError("sandbox_unfinished", "another process is making the sandbox"),
])("$code goes by: the stage is gone on with, and nothing has failed", async (trouble) => {
  let tries = 0;
  await execute(async () => {
    tries += 1;
    if (tries < 3) throw trouble;
    await submit(place.database, lease);
  });
  expect({ tries, failures }).toEqual({ tries: 3, failures: [] });
});

it("what does not go by in time is a failure; what another process has to finish is waited for", async () => {
  const unfinished = new SandboxError("sandbox_unfinished", "another process is making the sandbox");
  const gone = new SandboxError("engine_unavailable", "the engine is gone");
  const thrown = [unfinished, unfinished, gone];
  const work = workOf(async () => {
    throw thrown.shift() ?? new Error("too often");
  });
  await executeStage(place, lease, new AbortController().signal, { leaseMs, patienceMs: -1, work });
  expect({ failures, thrown }).toEqual({ failures: [gone], thrown: [] });
});

it("trouble that comes late is waited for as long as trouble at the start, each time work went on in between", async () => {
  const patienceMs = 300;
  let tries = 0;
  const work = workOf(async () => {
    tries += 1;
    await sleep(patienceMs + 50);
    if (tries < 3) throw new SandboxError("engine_unavailable", "the engine is restarting");
    await submit(place.database, lease);
  });
  await executeStage(place, lease, new AbortController().signal, { leaseMs, patienceMs, work });
  expect({ tries, failures }).toEqual({ tries: 3, failures: [] });
});

it("trouble that comes again however long was worked in between is a failure in the end", async () => {
  const lost = new SandboxError("session_lost", "the sandbox has died of it again");
  let tries = 0;
  const patienceMs = 60;
  const work = workOf(async () => {
    tries += 1;
    await sleep(patienceMs);
    throw lost;
  });
  await executeStage(place, lease, new AbortController().signal, { leaseMs, patienceMs, work });
  expect({ tries, failures }).toEqual({ tries: 6, failures: [lost] });
});

it("whatever else is thrown is a failure of the stage, once", async () => {
  const thrown = new SandboxError("disk_full", "no space left");
  await execute(() => Promise.reject(thrown));
  expect(failures).toEqual([thrown]);
});

it("a stage whose dispatchers were all gone before its end is not begun once more: it has failed, and says so", async () => {
  let begun = 0;
  const work = workOf(async () => {
    begun += 1;
    await submit(place.database, lease);
  });
  const { signal } = new AbortController();
  await executeStage(place, { ...lease, takenOver: mostTakeOvers + 1 }, signal, { leaseMs, work });
  expect({ begun, failures }).toMatchObject({
    begun: 0,
    failures: [{ code: "session_lost", message: expect.stringContaining(`${mostTakeOvers + 1} times`) }],
  });
  await executeStage(place, { ...lease, takenOver: mostTakeOvers }, signal, { leaseMs, work });
  expect({ begun, failures }).toMatchObject({ begun: 1, failures: [{ code: "session_lost" }] });
});

it("work that ends without a result has failed: nobody would ever move its task on", async () => {
  await execute(async () => {});
  expect(failures).toMatchObject([{ code: "internal", message: expect.stringMatching(/without a result/) }]);
});

it("a failure that cannot be written down yet is written down later", async () => {
  const thrown = new Error("broken");
  let tries = 0;
  const failed: StageWork["failed"] = async () => {
    tries += 1;
    if (tries < 3) throw new OrchestratorError("database_unavailable", "killed");
    await submit(place.database, lease);
  };
  await executeStage(place, lease, new AbortController().signal, {
    leaseMs,
    work: { ...workOf(() => Promise.reject(thrown)), failed },
  });
  expect(tries).toBe(3);
});

it("work whose task is cancelled is stopped, and has neither succeeded nor failed", async () => {
  let began = false;
  let reason: unknown;
  const executing = execute(async (_place, _lease, signal) => {
    began = true;
    await until("it is told to stop", () => signal.aborted);
    reason = signal.reason;
    throw new Error("stopped in the middle");
  });
  await until("it has begun", () => began);
  await cancelTask(place.database, lease.task ?? "");
  await executing;
  expect(reason).toBeInstanceOf(LeaseLost);
  expect(failures).toEqual([]);
});

it("work that finds out by itself that its lease is over ends without a word", async () => {
  await execute(() => Promise.reject(new LeaseLost(lease.stage)));
  expect(failures).toEqual([]);
  expect(await openStage(place.database, lease.task ?? "")).toMatchObject({ state: "claimed" });
});

async function execute(work: StageWork["run"]): Promise<void> {
  await executeStage(place, lease, new AbortController().signal, { leaseMs, work: workOf(work) });
}

function workOf(run: StageWork["run"]): StageWork {
  const unexpected = () => Promise.reject(new Error("not this one"));
  const failed: StageWork["failed"] = async (_place, _lease, error) => {
    failures.push(error);
  };
  return { run, plan: unexpected, judge: unexpected, merge: unexpected, failed };
}
