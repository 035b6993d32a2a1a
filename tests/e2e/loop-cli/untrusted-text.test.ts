import { OrchestratorError } from "@opentiger/orchestrator";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { followLoop } from "../../../packages/cli/src/loop/follow.ts";
import { LoopTeller } from "../../../packages/cli/src/loop/lines.ts";
import { summaryOf } from "../../../packages/cli/src/loop/summary.ts";
import { taskText } from "../../../packages/cli/src/loop/task-text.ts";
import { taskTable, verifyLines } from "../../../packages/cli/src/loop/views.ts";
import { reportError } from "../../../packages/cli/src/output/error-report.ts";
import {
  planned,
  plannedLoop,
  type TemporaryLoopPlace,
  temporaryLoopPlace,
} from "../../../packages/orchestrator/src/fixture/temporary-loop-place.ts";

let place: TemporaryLoopPlace;

beforeAll(async () => {
  place = await temporaryLoopPlace();
});

afterAll(() => place.remove());

/** It would clear the screen, and turn around what follows. */
const hostile = "\u001b[2J\u202eevil";
const shown = "\\u{1b}[2J\\u{202e}evil";
const usage = { total: 0, usd: null, tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } };

describe("what a model or a repository wrote reaches a terminal as characters alone", () => {
  it("in a task, with what it is to do and how it is checked, and in a plan that waits", async () => {
    const instructions = `First this.\n\nThen ${hostile}`;
    const given = planned("a", { title: hostile, instructions, verify: [{ command: `make ${hostile}` }] });
    const { tasks } = await plannedLoop(place, [given], { to: "awaiting_approval" });
    const [task] = tasks;
    if (!task) throw new Error("no task");
    const text = taskText(task, { runs: [], judgements: [], messages: [], artifacts: [] }, new Date());
    expect(text).toContain(`verify   make ${shown}\n`);
    expect(text).toContain(`what it is to do\n  First this.\n\n  Then ${shown}\n`);
    expect(verifyLines(tasks)).toBe(`  1  make ${shown}\n`);
    expectPlain(text + verifyLines(tasks) + taskTable(tasks));
  });

  it("in a loop's summary", async () => {
    const { loop } = await plannedLoop(place, [planned("a")]);
    const text = summaryOf({ ...loop, state: "paused(asked)", detail: hostile }, usage);
    expect(text).toContain(`\n  ${shown}\n`);
    expectPlain(text);
  });

  it("in the lines that tell what happened", async () => {
    const { loop } = await plannedLoop(place, [planned("a", { title: hostile }), planned("b")]);
    await place.database.query("update tasks set detail = $2 where loop_id = $1", [loop.id, hostile]);
    await place.database.query("update loops set detail = $2 where id = $1", [loop.id, hostile]);
    await place.database.query(
      `insert into events (loop_id, task_id, type, data)
       select loop_id, id, type, '{}'::jsonb from tasks, (values ('task.give_up'), ('task.block')) as e (type)
       where loop_id = $1 union all select $1, null, 'loop.fail', '{}'::jsonb`,
      [loop.id],
    );
    const teller = new LoopTeller(place.database);
    const lines: string[] = [];
    const told = { until: () => true, signal: AbortSignal.abort() };
    for await (const event of followLoop(place.database, loop.id, told))
      lines.push(...(await teller.lines(event)));
    expect(lines).toEqual(
      expect.arrayContaining([
        `task 1: failed: ${shown}`,
        `task 2: cannot begin: ${shown}`,
        `failed: ${shown}`,
      ]),
    );
    expectPlain(lines.join("\n"));
  });

  it("in texts of several lines, whose lines stay lines", async () => {
    const { loop, tasks } = await plannedLoop(place, [planned("a")]);
    const [task] = tasks;
    if (!task) throw new Error("no task");
    const detail = `npm test: failed.\n\n> test ${hostile}\n`;
    await place.database.query("update loops set detail = $2 where id = $1", [loop.id, detail]);
    const event = {
      id: 1,
      at: new Date(),
      loop: loop.id,
      task: null,
      run: null,
      type: "loop.fail",
      data: {},
    };
    expect(await new LoopTeller(place.database).lines(event)).toEqual([
      `failed: npm test: failed.\n\n    > test ${shown}`,
    ]);
    expect(summaryOf({ ...loop, detail }, usage)).toContain(`\n  npm test: failed.\n\n  > test ${shown}\n`);
    const known = { runs: [], judgements: [], messages: [], artifacts: [] };
    expect(taskText({ ...task, detail }, known, new Date())).toContain(
      `: npm test: failed.\n\n           > test ${shown}\n`,
    );
  });

  it("in an error that names it, whose lines stay lines", () => {
    let text = "";
    const stderr = { write: (piece: string) => (text += piece) };
    const error = new OrchestratorError("usage", `task 1 (${hostile})`, { remedy: `one\n${hostile}` });
    reportError(error, { stderr, env: {}, program: "opentiger", format: "text" });
    expect(text).toBe(`opentiger: task 1 (${shown})\n  → one\n    ${shown}\n`);
  });
});

function expectPlain(text: string): void {
  expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
}
