import type { Rework, ReworkPoint, TaskFailure } from "@opentiger/schema";
import { z } from "zod";
import { type EndPlace, endRun } from "../agent/end-run.ts";
import { forgetTranscripts } from "../agent/run-files.ts";
import { OrchestratorError } from "../errors.ts";
import type { Place } from "../place.ts";
import { LeaseLost } from "../stage/lease-lost.ts";
import { type Change, change } from "../state/change.ts";
import type { RunColumns } from "../state/change-columns.ts";
import { heldTests } from "../state/held-tests.ts";
import type { Lease } from "../state/lease.ts";
import { lockLoop } from "../state/locks.ts";
import { oneRow, type Queryable } from "../state/rows.ts";
import type { RunRow } from "../state/runs.ts";
import { findTask, type TaskRow } from "../state/tasks.ts";
import { type Decision, decideNext, type Next, type Situation } from "./decide.ts";
import { taskDetail } from "./task-detail.ts";

export interface FailureExtra {
  /** What the next run is to know, as far as it is known: points, conversation, work, sandbox. */
  rework?: Partial<Omit<Rework, "failure">>;
  /** From which `rework.from` was made. */
  baseOid?: string;
  /** What is known of the run that ends. */
  run?: RunColumns & { candidateOid?: string | null };
  /** What else is written, in the same transaction and before the stage ends. */
  also?: (on: Queryable) => Promise<void>;
}

/**
 * Ends the run, where there is one, and moves the task of the lease on by the table, in one transaction. Says what was
 * decided. Throws LeaseLost where the stage is somebody else's by now, and then nothing was changed.
 */
export async function failTask(
  place: EndPlace & Pick<Place, "database">,
  lease: Lease,
  run: RunRow | null,
  failure: TaskFailure,
  extra: FailureExtra = {},
): Promise<Next> {
  const next = await place.database.transaction(async (on) => {
    await lockLoop(on, lease.loop);
    const task = lease.task === null ? undefined : await findTask(on, lease.task);
    if (!task) throw new OrchestratorError("internal", `stage ${lease.stage} is not a stage of a task`);
    const past = await pastOf(on, task);
    const decision = decideNext(situation(place, { lease, failure, task, past }));
    await extra.also?.(on);
    if (run) await endFailed(place, on, lease, run, failure, extra);
    await moveOn(on, { lease, task, failure, extra, past, decision });
    return decision.next;
  });
  if (run) forgetTranscripts(place, run);
  return next;
}

const past = z.object({
  runs: z.number(),
  /** Those that the limit of all runs is about. One that only met a used up quota or budget went on in the next one. */
  counted: z.number(),
  agent: z.string().nullable(),
  session: z.string().nullable(),
});
type Past = z.infer<typeof past>;

/** How many runs the task's own agents have had since a person last retried it or sent it back, and the last one's conversation. */
async function pastOf(on: Queryable, { id }: TaskRow): Promise<Past> {
  return oneRow(
    on,
    past,
    `select count(*) as runs,
       count(*) filter (where coalesce(failure->>'type', '') not in ('quota', 'budget')) as counted,
       (array_agg(agent order by number desc))[1] as agent,
       (array_agg(session order by number desc))[1] as session
     from runs where task_id = $1 and role <> 'judge' and started_at > coalesce(
       (select max(at) from events where task_id = $1 and type in ('task.retry', 'task.send_back')), '-infinity')`,
    [id],
  );
}

function situation(
  { config }: Pick<Place, "config">,
  { lease, failure, task, past }: Omit<Moving, "extra" | "decision">,
): Situation {
  const fallback = config.get("OPENTIGER_FALLBACK_AGENT");
  return {
    stage: lease.kind === "plan" ? "run" : lease.kind,
    failure,
    tries: task.tries,
    runs: past.counted,
    // One that it was handed on to may not have come to a run of its own yet.
    agent: task.agent ?? past.agent ?? "",
    fallback: fallback === "none" ? null : fallback,
    limits: {
      OPENTIGER_REWORKS: config.get("OPENTIGER_REWORKS"),
      OPENTIGER_TEST_DISPUTES: config.get("OPENTIGER_TEST_DISPUTES"),
      runs: config.get("OPENTIGER_TASK_RUNS"),
      quotaWaitMs: config.get("OPENTIGER_QUOTA_WAIT"),
    },
    now: new Date(),
  };
}

const runEnds: Readonly<Record<string, "lose" | "cancel">> = {
  lost: "lose",
  removed: "lose",
  cancelled: "cancel",
};

async function endFailed(
  place: EndPlace,
  on: Queryable,
  { fence, stage }: Lease,
  { id }: RunRow,
  failure: TaskFailure,
  { run = {} }: FailureExtra,
): Promise<void> {
  const by = runEnds[failure.type] ?? "fail";
  const set = { ...run, failure };
  const data = { failure: failure.type, message: failure.message };
  if (!(await endRun(place, on, { id, by, fence, set, data }))) throw new LeaseLost(stage);
}

interface Moving {
  lease: Lease;
  task: TaskRow;
  failure: TaskFailure;
  extra: FailureExtra;
  past: Past;
  decision: Decision;
}

async function moveOn(on: Queryable, moving: Moving): Promise<void> {
  const { lease, failure, decision } = moving;
  const { next } = decision;
  if ("pauseLoop" in next && next.pauseLoop) await pauseLoop(on, lease.loop, failure);
  if (failure.type === "dispute" && next.by === "again") await sendTestsBack(on, moving);
  const done = await change(on, taskChange(moving));
  if (!done.changed) throw new LeaseLost(lease.stage);
  if (next.by === "rejudge" && next.at && done.stage !== null)
    await on.query("update stages set not_before = $2 where id = $1", [done.stage, next.at]);
}

function taskChange(moving: Moving): Change<"task"> {
  const { lease, task, failure, extra, past, decision } = moving;
  const { next, tries } = decision;
  const rework = reworkOf(moving);
  const asked = {
    what: "task",
    id: task.id,
    fence: lease.fence,
    data: {
      failure: failure.type,
      message: failure.message,
      ...(next.by === "give_up" ? { why: next.why } : {}),
    },
  } as const;
  const set = {
    tries,
    rework,
    detail: taskDetail({ failure, next, points: rework.points, ...past }),
    notBefore: "at" in next ? next.at : null,
    ...(extra.baseOid === undefined ? {} : { baseOid: extra.baseOid }),
    ...("agent" in next && next.agent !== null ? { handedTo: next.agent } : {}),
  };
  const judged = { ...asked, from: "blocked(awaiting_judge)", set } as const;
  switch (next.by) {
    case "again":
    case "wait_for_quota":
      return { ...asked, by: next.by, from: "running", set };
    case "reject":
      return { ...judged, by: next.by };
    case "rejudge":
      // It is the judge who tries again: what is known for a next run stays as it is.
      return { ...judged, by: next.by, set: { ...set, rework: task.rework } };
    case "give_up":
      return lease.kind === "run"
        ? { ...asked, by: next.by, from: "running", set }
        : { ...judged, by: next.by };
  }
}

/**
 * What this one found comes to what earlier ones found and nobody has mended; what the judge finds takes the place of
 * all of it, since the judge has seen it all.
 */
function reworkOf(moving: Moving): Rework {
  const { lease, task, failure, extra, past, decision } = moving;
  const { points = [], ...known } = extra.rework ?? {};
  const before = lease.kind === "run" ? task.rework : null;
  const earlier = (before?.points ?? []).filter(({ by }) => !points.some((point) => point.by === by));
  const whole: Rework = {
    session: past.session ?? before?.session ?? null,
    agent: past.session === null && before ? before.agent : past.agent,
    from: before ? before.from : task.candidateOid,
    sandbox: null,
    ...known,
    failure: failure.type,
    points: [...earlier, ...points],
  };
  return asFarAsItGoesOn(whole, lease, decision.next);
}

/** Who begins anew has no conversation; another agent does not begin with work that came to nothing either. */
function asFarAsItGoesOn(rework: Rework, { kind }: Lease, next: Next): Rework {
  if (next.by === "give_up") return { ...rework, sandbox: null };
  if ("agent" in next && next.agent !== null && kind === "run") {
    const points = rework.points.filter(({ by }) => by === "judge" || by === "person" || by === "dispute");
    return { ...rework, points, session: null, sandbox: null, from: null };
  }
  const anew = ("agent" in next && next.agent !== null) || (next.by === "again" && !next.resume);
  return anew ? { ...rework, session: null, sandbox: null } : rework;
}

async function pauseLoop(on: Queryable, loop: string, { message, remedy }: TaskFailure): Promise<void> {
  const detail = `${message} ${remedy}`;
  // Another run may have paused it a moment ago.
  await change(on, {
    what: "loop",
    id: loop,
    by: "pause",
    from: "running",
    to: "paused(budget)",
    set: { detail },
    data: { detail },
  });
}

/** The tests are written again by who wrote them, who is told why. */
async function sendTestsBack(on: Queryable, { task, extra }: Moving): Promise<void> {
  const points: ReworkPoint[] = (extra.rework?.points ?? []).filter(({ by }) => by === "dispute");
  for (const tests of await heldTests(on, task.id)) {
    const rework: Rework = {
      failure: "dispute",
      points,
      session: null,
      agent: null,
      from: tests.candidateOid,
      sandbox: null,
    };
    const detail = `Task ${task.number} (${task.title}) says that a test written for it is wrong.`;
    const data = { disputedBy: task.number };
    await change(on, {
      what: "task",
      id: tests.id,
      by: "dispute",
      from: "done",
      set: { rework, detail, candidateOid: null },
      data,
    });
  }
}
