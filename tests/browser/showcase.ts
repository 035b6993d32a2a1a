import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { newLoop, newTask } from "../../packages/orchestrator/src/fixture/temporary-loops.ts";
import { summarise } from "../../packages/orchestrator/src/loops/summarise.ts";
import { addArtifact } from "../../packages/orchestrator/src/state/artifacts.ts";
import { appendEvent } from "../../packages/orchestrator/src/state/events.ts";
import { addJudgement } from "../../packages/orchestrator/src/state/judgements.ts";
import { oneRow } from "../../packages/orchestrator/src/state/rows.ts";
import type { NewTask } from "../../packages/orchestrator/src/state/tasks.ts";
import type { RunningServer } from "../../packages/server/src/server.ts";
import { sampleDiff, sampleTranscript } from "./showcase-files.ts";

/** What of it can be opened. */
export interface Showcase {
  running: string;
  approval: string;
  failed: string;
  done: string;
  task: string;
  failedTask: string;
  run: string;
  judged: string;
}

const oid = "8f3c1d9a27b64e05".padEnd(40, "0");
type Place = Pick<RunningServer["parts"]["place"], "database" | "folder">;
type Db = Place["database"];

/** A server, or as much of one as is written to. */
interface Shown {
  parts: { place: Place };
}

const tasks: readonly NewTask[] = [
  newTask("Parse the --json flag", { allowedPaths: ["src/cli/**"] }),
  newTask("Write tests for JSON output", { role: "tester", allowedPaths: ["tests/**"] }),
  newTask("Print rows as JSON lines", { needs: [1, 2], allowedPaths: ["src/report/**"] }),
  newTask("Stream large reports", { needs: [3], allowedPaths: ["src/report/stream.ts"] }),
  newTask("Document the flag", { role: "docser", needs: [3], allowedPaths: ["README.md", "docs/**"] }),
  newTask("Benchmark against the table", { needs: [4], allowedPaths: ["bench/**"] }),
];

/** A database that looks like a week of work: loops in every state, with all that is kept of their runs. */
export async function showcase({ parts }: Shown): Promise<Showcase> {
  const { database, folder } = parts.place;
  const done = await loop(database, "Fix the flaky clock in the scheduler tests", tasks.slice(0, 3), {
    minutes: 1_540,
    usd: 50,
  });
  for (const task of done.tasks) await setTask(database, task, "done");
  for (const index of [0, 1, 2])
    await addRun(database, done, index, { status: "succeeded", minutes: 1_500, usd: 0.5 });
  await end(database, done.id, { status: "done", minutes: 1_490 });
  await olderRuns(database, done);
  const failed = await loop(database, "Upgrade the HTTP client to version 7", tasks.slice(0, 2), {
    minutes: 240,
  });
  await setTask(database, failed.tasks[0] ?? "", "done");
  await setTask(database, failed.tasks[1] ?? "", "failed", null, "the checks were red three times");
  await addRun(database, failed, 1, { status: "failed", minutes: 190, usd: 1.1 });
  await end(database, failed.id, { status: "failed", minutes: 185 });
  const running = await loop(
    database,
    "Add a --json flag to the report command\n\nOne object a line.",
    tasks,
    { minutes: 62 },
  );
  const states = ["done", "done", "running", "queued", "queued", "queued"];
  for (const [index, state] of states.entries()) await setTask(database, running.tasks[index] ?? "", state);
  await setTask(database, running.tasks[4] ?? "", "blocked", "quota_wait");
  const run = await addRun(database, running, 2, { status: "running", minutes: 4, usd: 0.42 });
  await addRun(database, running, 0, { status: "succeeded", minutes: 34, usd: 0.31 });
  await addRun(database, running, 1, { status: "failed", minutes: 55, usd: 0.12 });
  const judged = await addRun(database, running, 1, {
    status: "succeeded",
    minutes: 44,
    usd: 0.27,
    number: 2,
  });
  const approval = await loop(
    database,
    "Move the settings page to the new form components",
    tasks.slice(0, 5),
    { minutes: 20 },
  );
  await database.query("update loops set status = 'awaiting_approval', plan = $2::jsonb where id = $1", [
    approval.id,
    JSON.stringify(planOf(tasks.slice(0, 5))),
  ]);
  await filesOf(database, folder, [run, judged]);
  await addJudgement(database, {
    task: running.tasks[1] ?? "",
    run: judged,
    candidateOid: oid,
    baseOid: oid,
    judgement: "fail",
    evidence: {
      rounds: [
        {
          tree: "as_is",
          commit: oid,
          results: [
            check("npm run lint", "passed", ""),
            check(
              "npm test",
              "failed",
              "\u001b[31m✗ prints one object a line\u001b[0m\n  expected 3 lines, got 1\n\n1 failed, 41 passed",
            ),
          ],
        },
      ],
      redBefore: [],
      notes: ["The lock file was not changed."],
      opinions: [
        { files: ["tests/report.test.ts"], judgement: "fail", summary: "The last test cannot fail." },
      ],
      trouble: null,
      held: false,
    },
    points: [
      {
        by: "judge",
        file: "tests/report.test.ts",
        line: 42,
        text: "Assert on the rows, not on their count.",
      },
    ],
  });
  const [task = "", , third = ""] = [running.tasks[1], running.tasks[1], running.tasks[2]];
  return {
    running: running.id,
    approval: approval.id,
    failed: failed.id,
    done: done.id,
    task,
    failedTask: failed.tasks[1] ?? third,
    run,
    judged,
  };
}

/** It was begun so many minutes ago, and may cost so much. */
async function loop(
  database: Db,
  requirement: string,
  planned: readonly NewTask[],
  { minutes, usd = 5 }: { minutes: number; usd?: number },
) {
  const made = await newLoop(database, planned);
  await database.query(
    `update loops set requirement = $2, branch = 'tiger/' || id, branch_oid = $3,
       created_at = now() - make_interval(mins => $4), updated_at = now() - make_interval(mins => $4 / 20),
       settings = settings || jsonb_build_object('budget', jsonb_build_object('usd', $5::float8, 'tokens', null))
     where id = $1`,
    [made.loop.id, requirement, oid, minutes, usd],
  );
  return { id: made.loop.id, tasks: made.tasks.map(({ id }) => id) };
}

async function setTask(
  database: Db,
  id: string,
  status: string,
  reason: string | null = null,
  detail: string | null = null,
): Promise<void> {
  const { loop: of } = await oneRow(
    database,
    z.object({ loop: z.string() }),
    `update tasks set status = $2, reason = $3, detail = $4,
       not_before = case when $3 = 'quota_wait' then now() + interval '42 minutes' end
     where id = $1 returning loop_id as loop`,
    [id, status, reason, detail],
  );
  const to = reason === null ? status : `${status}(${reason})`;
  const type = { done: "task.merge", failed: "task.give_up", running: "task.claim" }[status] ?? "task.edit";
  await appendEvent(database, {
    loop: of,
    task: id,
    type,
    data: { from: "queued", to, ...(detail ? { detail } : {}) },
  });
}

async function addRun(
  database: Db,
  of: { id: string; tasks: string[] },
  index: number,
  { status, minutes, usd, number = 1 }: { status: string; minutes: number; usd: number; number?: number },
): Promise<string> {
  const failure = {
    type: "verify",
    message: "npm test was red: prints one object a line",
    remedy: "look at the log of the checks, then `opentiger task retry`",
    until: null,
  };
  const { id } = await oneRow(
    database,
    z.object({ id: z.string() }),
    `insert into runs (loop_id, task_id, stage_id, number, agent, role, status, tokens, usd, sandbox, last_seq, failure,
       started_at, ended_at)
     select $1, $2, s.id, $3, 'claude_code', t.role, $4, $5::jsonb, $6, 'loop-' || $1 || '-claude-' || t.number, 12, $7::jsonb,
       now() - make_interval(mins => $8), case when $4 = 'running' then null else now() - make_interval(mins => $8 - 3) end
     from tasks t join lateral (select id from stages where loop_id = $1 order by id limit 1) s on true
     where t.id = $2 returning id`,
    [
      of.id,
      of.tasks[index],
      number,
      status,
      JSON.stringify({ input: 41_200, output: 8_400, cacheRead: 310_000, cacheWrite: 22_000 }),
      usd,
      status === "failed" ? JSON.stringify(failure) : null,
      minutes,
    ],
  );
  return id;
}

/** Two weeks of cost, for the charts. */
async function olderRuns(database: Db, of: { id: string; tasks: string[] }): Promise<void> {
  const costs = [3.1, 0.4, 5.2, 2.2, 0, 1.4, 4.8, 6.1, 2.9, 3.3, 0.8, 1.9];
  for (const [day, usd] of costs.entries())
    await addRun(database, of, 0, { status: "succeeded", minutes: (day + 1) * 1_440, usd, number: day + 2 });
}

async function end(
  database: Db,
  id: string,
  { status, minutes }: { status: string; minutes: number },
): Promise<void> {
  const summary = JSON.stringify(await summarise(database, id));
  await database.query(
    `update loops set status = $2, summary = $3::jsonb, plan = $4::jsonb,
       ended_at = now() - make_interval(mins => $5), updated_at = now() - make_interval(mins => $5) where id = $1`,
    [id, status, summary, JSON.stringify(planOf(tasks.slice(0, 3))), minutes],
  );
}

async function filesOf(database: Db, folder: string, runs: readonly string[]): Promise<void> {
  for (const run of runs) {
    const files = join(folder, "runs", run);
    mkdirSync(files, { recursive: true, mode: 0o700 });
    writeFileSync(join(files, "events.ndjson"), sampleTranscript());
    const kept = [
      { kind: "diff", path: join(files, "diff.patch"), text: sampleDiff },
      {
        kind: "log",
        path: join(files, "verify.log"),
        text: "$ npm test\n\u001b[32m✓ 42 passed\u001b[0m\npassed (0)\n",
      },
    ];
    for (const { kind, path, text } of kept) {
      writeFileSync(path, text);
      await addArtifact(database, { run, kind, path, bytes: text.length, keepMs: 86_400_000 });
    }
  }
}

function check(command: string, result: "passed" | "failed", output: string) {
  return { command, test: null, result, exitCode: result === "passed" ? 0 : 1, output, durationMs: 2_300 };
}

function planOf(planned: readonly NewTask[]) {
  return {
    summary:
      "The form components replace the old ones page by page, tests first, without a change in what is saved.",
    tasks: planned.map((task, index) => ({
      key: `task-${index + 1}`,
      title: task.title,
      role: task.role,
      instructions: task.instructions,
      needs: task.needs.map((number) => `task-${number}`),
      allowedPaths: task.allowedPaths,
      mayChange: [],
      verify: [],
      risk: "low",
      estimate: null,
    })),
  };
}
