import { stripVTControlCharacters } from "node:util";
import { loopSettings } from "@opentiger/schema";
import { expect, test } from "vitest";
import { noColours } from "../../output/colours.ts";
import { widthOf } from "../../output/width.ts";
import { type FrameOptions, renderFrame } from "./frame.ts";
import type { LiveState, LiveTask } from "./live-loop.ts";

const start = new Date("2026-01-01T00:00:00Z");
const now = new Date(start.getTime() + 83_000);

const options: FrameOptions = {
  columns: 100,
  rows: 30,
  colours: noColours,
  now,
  page: "http://127.0.0.1:4301/loops/k3v9x0ab",
  notice: undefined,
};

function task(number: number, more: Partial<LiveTask> = {}): LiveTask {
  return {
    number,
    title: `Task ${number} 虎 with a title that is longer than there is room for it on a line`,
    role: "worker",
    state: "queued",
    needs: [],
    detail: null,
    run: undefined,
    tokens: 0,
    tookMs: 0,
    ...more,
  };
}

const run = {
  role: "worker",
  agent: "codex",
  startedAt: start,
  doing: "Bash npm test",
  tokens: 7,
  usd: null,
} as const;

function state(tasks: LiveTask[]): LiveState {
  return {
    loop: {
      id: "k3v9x0ab",
      repository: "r",
      requirement: "# a --json flag\nfor the list",
      source: { kind: "prose" },
      settings: loopSettings.parse({}),
      state: "running",
      detail: null,
      fence: 1,
      baseOid: null,
      branch: null,
      branchOid: null,
      projectedOid: null,
      plan: null,
      planVersion: null,
      summary: null,
      createdAt: start,
      updatedAt: start,
      endedAt: null,
    },
    tasks,
    planning: undefined,
    tokens: 12_345,
    usd: 0.25,
  };
}

test("each task has a line with what its agent does, how long, and what it used", () => {
  const tasks = [
    task(1, { state: "done", tookMs: 61_000, tokens: 1_200 }),
    task(2, { state: "running", run, tokens: 7 }),
    task(3, { state: "blocked(awaiting_judge)", run: { ...run, role: "judge", doing: "thinks" } }),
    task(4, { needs: [1, 2] }),
    task(5, { state: "failed", detail: "the tests are red" }),
  ];
  const [, head, ...lines] = renderFrame(state(tasks), options);
  expect(head).toMatch(/^k3v9x0ab running {2}a --json flag for the list +1m23s$/);
  expect(lines[0]).toMatch(/✓ 1 worker +Task 1 .*… +done +1m01s +1\.2k$/);
  expect(lines[1]).toMatch(/2 .* Bash npm test +1m23s +7$/);
  expect(lines[2]).toMatch(/3 .* judge: thinks/);
  expect(lines[3]).toMatch(/· 4 .* needs 2 /);
  expect(lines[4]).toMatch(/✗ 5 .* failed: the tests are red/);
  expect(lines[5]).toBe(
    "  1 of 5 done · 1 failed · 12.3k tokens · $0.2500 · http://127.0.0.1:4301/loops/k3v9x0ab",
  );
});

test.each([20, 40, 55, 80, 200])("no line is longer than a terminal of %d columns", (columns) => {
  const tasks = [task(1, { state: "running", run }), task(2, { state: "failed", detail: "x".repeat(300) })];
  for (const line of renderFrame(state(tasks), { ...options, columns }))
    expect(widthOf(stripVTControlCharacters(line))).toBeLessThan(columns);
});

test("of more tasks than there are rows, those that run are shown, and how many are not", () => {
  const tasks = Array.from({ length: 60 }, (_, index) => task(index + 1, { state: "done" }));
  tasks[40] = task(41, { state: "running", run });
  const lines = renderFrame(state(tasks), { ...options, rows: 12 });
  expect(lines.length).toBeLessThan(12);
  expect(lines.join("\n")).toContain("Bash npm test");
  expect(lines.join("\n")).toMatch(/and 55 more/);
});
