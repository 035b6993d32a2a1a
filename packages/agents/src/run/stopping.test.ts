import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../../../../tests/setup/until.ts";
import type { AgentDriver } from "../driver.ts";
import { eventsOf, type HostPlace, newHostPlace, says } from "./fixture/host-place.ts";
import { isAlive } from "./fixture/is-alive.ts";
import { scriptDriver } from "./fixture/script-driver.ts";
import type { RunGateway } from "./gateway.ts";
import { runAgent } from "./run-agent.ts";

let place: HostPlace;

beforeAll(async () => {
  place = await newHostPlace();
});

afterAll(() => place.remove());

/** Starts children that hear no polite signal, one of them in a session of its own, and waits for ever. */
const stubborn = (file: string): string =>
  `trap '' TERM INT HUP
  setsid sh -c 'trap "" TERM; echo $$ >> ${file}; while :; do sleep 1; done' &
  sh -c 'echo $$ >> ${file}; exec sleep 600' &
  echo $$ >> ${file}
  while :; do sleep 1; done`;

describe("a run that is cancelled", () => {
  it("in the middle of a tool call is gone within two seconds, with everything it started", async () => {
    const call = { type: "tool_call", id: "1", tool: "Bash", kind: "command", summary: "", input: "{}" };
    const run = await runAgent(place.request(`${says(call)}\n${stubborn("pids")}`));
    const pids = await until("all of it runs", () => {
      const found = numbers("pids");
      return found.length === 3 ? found : undefined;
    });
    const started = Date.now();
    await run.cancel("the user changed his mind");
    expect(Date.now() - started).toBeLessThan(2_000);
    expect(pids.map(isAlive)).toEqual([false, false, false]);
    expect(existsSync(join(place.folder, `opentiger-run-${run.id}`)), "what we tidy behind it").toBe(false);
    expect(await run.outcome).toMatchObject({
      failure: { type: "cancelled", message: expect.stringContaining("changed his mind") },
    });
    expect(await eventsOf(run)).toMatchObject([call]);
  });

  it("by its signal is ended as well, and a second cancel changes nothing", async () => {
    const stop = new AbortController();
    const run = await runAgent(place.request("sleep 600", { signal: stop.signal }));
    stop.abort();
    await run.cancel("too late");
    expect(await run.outcome).toMatchObject({
      failure: { type: "cancelled", message: expect.not.stringContaining("late") },
    });
  });

  it("although its reader sleeps has an outcome", async () => {
    const line = JSON.stringify({ type: "text", text: "x".repeat(4_000) });
    const run = await runAgent(place.request(`yes '${line}'`));
    const events = run.events[Symbol.asyncIterator]();
    expect(await events.next()).toMatchObject({ value: { seq: 1 } });
    await run.cancel();
    expect(await run.outcome).toMatchObject({ failure: { type: "cancelled" } });
  });

  it("after its end is as it was", async () => {
    const run = await runAgent(place.request(says({ ending: {} })));
    expect(await run.outcome).toMatchObject({ ok: true });
    await run.cancel();
  });
});

describe("a run is ended", () => {
  it("when its time is up, by the supervisor itself", async () => {
    const run = await runAgent(place.request("sleep 600", { limits: { timeoutMs: 300 } }));
    expect(await run.outcome).toMatchObject({ failure: { type: "timeout" }, exit: { reason: "timeout" } });
  });

  it("when it makes the same call with the same result again and again", async () => {
    const call = (id: number) => [
      says({
        type: "tool_call",
        id: String(id),
        tool: "Bash",
        kind: "command",
        summary: "ls",
        input: '{"c":"ls"}',
      }),
      says({ type: "tool_result", id: String(id), ok: true, output: "nothing", exitCode: 0 }),
    ];
    const script = [1, 2, 3, 4].flatMap(call).join("\n");
    const run = await runAgent(place.request(`${script}\nsleep 600`, { limits: { toolLoopRepeats: 4 } }));
    expect(await run.outcome).toMatchObject({
      failure: { type: "tool_loop", message: expect.stringContaining("Bash was called 4 times") },
    });
  });

  it("when it has used its turns, where its CLI knows no limit", async () => {
    const call = (id: number) =>
      says({ type: "tool_call", id: `${id}`, tool: "T", kind: "other", summary: "", input: `${id}` });
    const result = (id: number) =>
      says({ type: "tool_result", id: `${id}`, ok: true, output: `${id}`, exitCode: null });
    const twoTurns = [call(1), call(2), result(1), result(2), call(3), result(3)].join("\n");
    const task = { maxTurns: 2 };
    const enough = await runAgent(place.request(`${twoTurns}\n${says({ ending: {} })}`, { task }));
    expect(await enough.outcome).toMatchObject({ ok: true });
    const more = await runAgent(place.request(`${twoTurns}\n${call(4)}\nsleep 600`, { task }));
    expect(await more.outcome).toMatchObject({ failure: { type: "max_turns" } });
  });

  it("when its driver says so, of a CLI that would go on for ever", async () => {
    const driver: AgentDriver = {
      ...scriptDriver,
      reader: (task) => {
        const reader = scriptDriver.reader(task);
        let lines = 0;
        return {
          line: (line) => {
            lines += 1;
            return reader.line(line);
          },
          tooMuch: () =>
            lines >= 3 ? { type: "overloaded", message: "nothing but empty answers" } : undefined,
          ending: () => reader.ending(),
        };
      },
    };
    const line = says({ type: "text", text: "" });
    const run = await runAgent(place.request(`${line}\n${line}\n${line}\nsleep 600`, { driver }));
    expect(await run.outcome).toMatchObject({
      failure: { type: "overloaded", message: expect.stringContaining("empty answers") },
    });
  });

  it("when nothing happens any more", async () => {
    const run = await runAgent(place.request("sleep 600", { limits: { idleMs: 400 } }));
    expect(await run.outcome).toMatchObject({ failure: { type: "idle" } });
  });

  it("not while it changes files, without a word", async () => {
    const script = `for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.2; echo $i > changing; done; ${says({ ending: {} })}`;
    // Files are looked at by whole seconds.
    const run = await runAgent(place.request(script, { limits: { idleMs: 1_000 } }));
    expect(await run.outcome).toMatchObject({ ok: true });
  });

  it("not while a model's bytes come", async () => {
    const gateway: RunGateway = {
      env: {},
      requests: async () => [],
      usage: async () => Promise.reject(new Error("none")),
      activity: async () => ({ lastByteAt: new Date().toISOString() }),
    };
    const run = await runAgent(
      place.request(`sleep 1.5; ${says({ ending: {} })}`, { gateway, limits: { idleMs: 300 } }),
    );
    expect(await run.outcome).toMatchObject({ ok: true });
  });
});

function numbers(file: string): number[] {
  try {
    return readFileSync(join(place.workspace, file), "utf8").trim().split("\n").map(Number);
  } catch {
    return [];
  }
}
