import { claimStage, type Database, openDatabase } from "@opentiger/orchestrator";
import { stageRoles } from "@opentiger/schema";
import { type Series, sideBySide } from "./measure.ts";
import { temporaryState } from "./temporary-state.ts";

export const claimNames = { few: "claim, 100 queued", many: "claim, 100,000 queued" } as const;

const limits = {
  running: 1_000_000,
  roles: { planner: 1, worker: 1_000_000, tester: 1, docser: 1, judge: 1 },
};

/**
 * How long it takes to claim one of few tasks and one of very many. Each claim is rolled back, so that the next one
 * finds the same queue.
 */
export async function measureClaims(rounds: number): Promise<Series[]> {
  const few = await queueOf(100);
  const many = await queueOf(100_000);
  try {
    return await sideBySide(
      [
        { name: claimNames.few, run: () => claimAndUndo(few.database) },
        { name: claimNames.many, run: () => claimAndUndo(many.database) },
      ],
      rounds,
      5,
    );
  } finally {
    await few.remove();
    await many.remove();
  }
}

class Undone extends Error {}

async function claimAndUndo(database: Database): Promise<void> {
  const undone = database.transaction(async (on) => {
    const claim = await claimStage(on, { owner: "bench", roles: stageRoles, leaseMs: 60_000, limits });
    if (!claim.claimed) throw new Error("there was nothing to claim");
    throw new Undone();
  });
  await undone.catch((error: unknown) => {
    if (!(error instanceof Undone)) throw error;
  });
}

/** A database of its own, with so many queued tasks in loops of 1000. */
async function queueOf(count: number): Promise<{ database: Database; remove(): Promise<void> }> {
  const { env, remove } = temporaryState();
  const database = await openDatabase({ env, program: "bench" });
  await fillQueue(database, count);
  return {
    database,
    remove: async () => {
      await database.close();
      await remove();
    },
  };
}

/** Puts so many queued tasks into it, in loops of 1000. */
export async function fillQueue(database: Database, count: number): Promise<void> {
  await database.query(fill, [Math.ceil(count / 1000), Math.min(count, 1000)]);
  await database.query("analyze");
}

/** As `addTasks` writes them, many at once. */
const fill = `
  with repository as (
    insert into repositories (path, name) values ('/bench', 'bench') returning id
  ), made as (
    insert into loops (id, repository_id, requirement, source, settings, status)
    select lpad(n::text, 8, '0'), repository.id, 'bench', '{"kind":"prose"}', '{}', 'running'
    from repository, generate_series(1, $1) n returning id
  ), added as (
    insert into tasks (loop_id, number, title, role, instructions, allowed_paths, risk, status)
    select made.id, n, 'task ' || n, 'worker', 'Do it.', array['area-' || n || '/**'], 'low', 'queued'
    from made, generate_series(1, $2) n returning id, loop_id
  )
  insert into stages (loop_id, task_id, kind, role, state)
  select loop_id, id, 'run', 'worker', 'ready' from added`;
