import { appendFileSync, readFileSync } from "node:fs";
import { type AgentEvent, agentEvent } from "@opentiger/schema";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { until } from "../../../../tests/setup/until.ts";
import { claimed, claimOf, newLoop, newTask } from "../fixture/temporary-loops.ts";
import { type TemporaryPlace, temporaryPlace } from "../fixture/temporary-place.ts";
import { claimStage } from "../state/claims.ts";
import type { Database } from "../state/database.ts";
import type { Lease } from "../state/lease.ts";
import { findRun, type RunRow, startRun } from "../state/runs.ts";
import { EventRecord, runEventsChannel } from "./event-record.ts";
import { eventsFile } from "./run-files.ts";

let place: TemporaryPlace;
let database: Database;

beforeAll(async () => {
  place = await temporaryPlace();
  database = place.database;
});

afterAll(() => place.remove());

// A record that has something to say of itself has failed.
afterEach(() => expect(place.lines).toEqual([]));

async function newRun(): Promise<{ lease: Lease; run: RunRow }> {
  await newLoop(database, [newTask("one")]);
  const lease = await claimed(claimStage(database, claimOf("test")));
  const run = await startRun(database, lease, { agent: "claude_code", role: "worker" });
  if (!run) throw new Error("the lease is over");
  return { lease, run };
}

/** An agent that says these, from its event of this number on. */
function agent(id: string, texts: readonly string[], first = 1) {
  async function* events(): AsyncGenerator<AgentEvent> {
    for (const [index, text] of texts.entries())
      yield { type: "text", text, seq: first + index, at: new Date(0).toISOString() };
  }
  return { id, events: events() };
}

function lines(run: RunRow): AgentEvent[] {
  const text = readFileSync(eventsFile(place, run), "utf8");
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => agentEvent.parse(JSON.parse(line)));
}

describe("the events of a run", () => {
  it("begin with what a person said to the agent, once, also where another process goes on", async () => {
    const { lease, run } = await newRun();
    const said = ["one", "two"].map((text) => ({ text, anew: null, at: new Date(0).toISOString() }));
    const first = await EventRecord.open(place, lease, run);
    await first.follow(agent("a", ["before"]));
    expect(await first.heardOf("a-2", said.length)).toBe(0);
    await first.follow(agent("a-2", []), said.slice(0, 1));
    await first.close();
    const next = await EventRecord.open(place, lease, run);
    expect(await next.heardOf("a-2", said.length)).toBe(0);
    await next.follow(agent("a-2", ["heard"]), said);
    expect(await next.heardOf("a-2", said.length)).toBe(1);
    await next.follow(agent("a-2", ["done"], 2), said);
    await next.close();
    expect(lines(run)).toMatchObject([
      { seq: 1, type: "text", text: "before" },
      { seq: 2, type: "message", text: "one" },
      { seq: 3, type: "message", text: "two" },
      { seq: 4, type: "text", text: "heard" },
      { seq: 5, type: "text", text: "done" },
    ]);
  });

  it("stand in its file, numbered on over all of its agents, and others are told", async () => {
    const { lease, run } = await newRun();
    const told: string[] = [];
    database.notifications.subscribe(runEventsChannel, (wake) => {
      if (wake.kind === "notified") told.push(wake.payload);
    });
    await until("somebody listens", async () => {
      await database.query("select pg_notify($1, 'listening')", [runEventsChannel]);
      return told.includes("listening");
    });
    const record = await EventRecord.open(place, lease, run);
    await record.follow(agent("a", ["one", "two"]));
    await record.follow(agent("a-2", ["three"]));
    await record.close();
    expect(lines(run)).toMatchObject([
      { seq: 1, text: "one" },
      { seq: 2, text: "two" },
      { seq: 3, text: "three" },
    ]);
    await until("others are told", () => told.includes(run.id));
    expect(await findRun(database, run.id)).toMatchObject({ lastSeq: 3 });
  });

  it("go on behind the last whole line after a crash", async () => {
    const { lease, run } = await newRun();
    const first = await EventRecord.open(place, lease, run);
    await first.follow(agent("a", ["one"]));
    await first.follow(agent("a-2", ["two", "three"]));
    await first.close();
    appendFileSync(eventsFile(place, run), '{"type":"text","te');
    const second = await EventRecord.open(place, lease, run);
    expect([await second.heardOf("a-2"), await second.heardOf("a-3")]).toEqual([2, 0]);
    await second.follow(agent("a-2", ["four"], 3));
    await second.close();
    expect(lines(run).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect(lines(run).at(-1)).toMatchObject({ text: "four" });
  });

  it("are neither missed nor numbered anew where one that slept has written some again", async () => {
    const { lease, run } = await newRun();
    const asleep = await EventRecord.open(place, lease, run);
    await asleep.follow(agent("a", ["one"]));
    const heir = await EventRecord.open(place, lease, run);
    await heir.follow(agent("a", ["two", "three"], 2));
    await heir.close();
    await asleep.follow(agent("a", ["two"], 2));
    await asleep.close();
    const next = await EventRecord.open(place, lease, run);
    expect(await next.heardOf("a")).toBe(3);
    await next.follow(agent("a", ["three", "four"], 3));
    await next.close();
    expect(lines(run).map(({ seq }) => seq)).toEqual([1, 2, 3, 2, 4]);
    expect(lines(run).at(-1)).toMatchObject({ seq: 4, text: "four" });
  });

  it("take no more disk than one artifact may, and say that there were more", async () => {
    const { lease, run } = await newRun();
    await place.config.patch({ OPENTIGER_ARTIFACT_SIZE: "64k" }, "test");
    const record = await EventRecord.open(place, lease, run);
    await record.follow(
      agent(
        "a",
        Array.from({ length: 100 }, () => "x".repeat(1_000)),
      ),
    );
    await record.close();
    const again = await EventRecord.open(place, lease, run);
    await again.follow(agent("a", ["more"], 101));
    await again.close();
    await place.config.patch({ OPENTIGER_ARTIFACT_SIZE: null }, "test");
    expect(readFileSync(eventsFile(place, run)).length).toBeLessThan(70_000);
    expect(lines(run).at(-1)).toMatchObject({ type: "raw", line: expect.stringContaining("too much") });
  });

  it("of a session tell by which it can be resumed, and with which model it works", async () => {
    const { lease, run } = await newRun();
    const record = await EventRecord.open(place, lease, run);
    async function* events(): AsyncGenerator<AgentEvent> {
      const at = new Date(0).toISOString();
      yield { type: "started", session: "s-7", model: "some-model", resumed: false, seq: 1, at };
    }
    await record.follow({ id: "a", events: events() });
    await record.close();
    expect(await findRun(database, run.id)).toMatchObject({
      session: "s-7",
      model: "some-model",
      lastSeq: 1,
    });
  });

  it("go on in another process although the agent speaks of what was too much to be kept", async () => {
    const { lease, run } = await newRun();
    const first = await EventRecord.open(place, lease, run);
    await first.follow(agent("a", ["what came after this was too much to be kept"]));
    await first.close();
    const next = await EventRecord.open(place, lease, run);
    await next.follow(agent("a", ["heard"], 2));
    await next.close();
    expect(lines(run).at(-1)).toMatchObject({ seq: 2, type: "text", text: "heard" });
  });
});
