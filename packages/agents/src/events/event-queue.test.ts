import type { AgentEvent } from "@opentiger/schema";
import { describe, expect, it } from "vitest";
import { EventQueue } from "./event-queue.ts";

const many = 5_000;

describe("the queue of events", () => {
  it("makes the writer wait for a slow reader, and loses nothing", async () => {
    const queue = new EventQueue();
    const events = queue[Symbol.asyncIterator]();
    let pushed = 0;
    const writing = (async () => {
      for (; pushed < many; pushed += 1) await queue.push(event(pushed + 1));
      queue.close();
    })();
    expect(await events.next()).toMatchObject({ value: { seq: 1 } });
    await new Promise(setImmediate);
    expect(queue.isFull).toBe(true);
    expect(pushed).toBeLessThan(many);
    const seqs: number[] = [];
    for (let next = await events.next(); !next.done; next = await events.next()) seqs.push(next.value.seq);
    await writing;
    expect(seqs).toEqual(Array.from({ length: many - 1 }, (_, index) => index + 2));
  });

  it("does not wait while nobody reads, and keeps the latest", async () => {
    const queue = new EventQueue();
    for (let seq = 1; seq <= many; seq += 1) await queue.push(event(seq));
    queue.close();
    const seqs: number[] = [];
    for await (const { seq } of queue) seqs.push(seq);
    expect(seqs.length).toBeGreaterThan(500);
    expect(seqs).toEqual(seqs.map((_, index) => many - seqs.length + 1 + index));
  });

  it("is bounded by what the events hold, too", async () => {
    const queue = new EventQueue();
    for (let seq = 1; seq <= 100; seq += 1) await queue.push(event(seq, "x".repeat(1024 * 1024)));
    queue.close();
    let count = 0;
    for await (const _event of queue) count += 1;
    expect(count).toBeLessThan(8);
  });

  it("lets the writer go on when the reader leaves", async () => {
    const queue = new EventQueue();
    const writing = (async () => {
      for (let seq = 1; seq <= many; seq += 1) await queue.push(event(seq));
      return "written";
    })();
    for await (const { seq } of queue) if (seq === 10) break;
    expect(await writing).toBe("written");
  });

  it("waits for nobody once it is told to hurry", async () => {
    const queue = new EventQueue();
    const reading = queue[Symbol.asyncIterator]();
    const writing = (async () => {
      for (let seq = 1; seq <= many; seq += 1) await queue.push(event(seq));
      return "written";
    })();
    await reading.next();
    queue.hurry();
    expect(await writing).toBe("written");
    expect(await reading.next()).toMatchObject({ value: { seq: 2 } });
  });

  it("is read once", () => {
    const queue = new EventQueue();
    queue[Symbol.asyncIterator]();
    expect(() => queue[Symbol.asyncIterator]()).toThrow("read once");
  });
});

function event(seq: number, text = "word"): AgentEvent {
  return { type: "text", text, seq, at: "2026-06-01T00:00:00.000Z" };
}
