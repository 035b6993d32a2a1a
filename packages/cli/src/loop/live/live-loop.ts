import {
  allRows,
  findLoop,
  type LoopRow,
  listRuns,
  type OpenPlace,
  type TaskRow,
} from "@opentiger/orchestrator";
import type { TaskState } from "@opentiger/schema";
import { z } from "zod";
import { tasksOfLoop } from "../find.ts";
import { FollowedRun, type LiveRun } from "./followed-run.ts";

/** A loop as it is shown while it runs. */
export interface LiveState {
  loop: LoopRow;
  tasks: LiveTask[];
  /** Of the planner, while there are no tasks. */
  planning: LiveRun | undefined;
  tokens: number;
  usd: number | null;
}

export interface LiveTask extends Pick<TaskRow, "number" | "title" | "role" | "state" | "needs" | "detail"> {
  /** Of its worker, or of its judge. */
  run: LiveRun | undefined;
  /** Of all its runs. */
  tokens: number;
  /** How long its runs that have ended took. */
  tookMs: number;
}

const spentRow = z.object({
  task: z.string().nullable(),
  tokens: z.number(),
  usd: z.number().nullable(),
  ms: z.number(),
});
type Spent = z.infer<typeof spentRow>;

const ended: ReadonlySet<TaskState> = new Set(["done", "failed", "cancelled"]);

/** More cannot run at once. */
const maxRuns = 500;

/** What is known of a loop now: its state from the database, and what its agents do from their files. */
export class LiveLoop {
  readonly #place: OpenPlace;
  readonly #id: string;
  readonly #followed = new Map<string, FollowedRun>();
  #running: { id: string; task: string | null }[] = [];
  #loop: LoopRow | undefined;
  #tasks: TaskRow[] = [];
  #spent: Spent[] = [];

  constructor(place: OpenPlace, id: string) {
    this.#place = place;
    this.#id = id;
  }

  /** Reads what the database knows. */
  async refresh(): Promise<void> {
    const { database } = this.#place;
    this.#loop = await findLoop(database, this.#id);
    this.#tasks = await tasksOfLoop(database, this.#id);
    const { items } = await listRuns(database, { loop: this.#id, status: "running", limit: maxRuns });
    this.#running = items.map(({ id, task }) => ({ id, task }));
    for (const run of items)
      if (!this.#followed.has(run.id)) this.#followed.set(run.id, new FollowedRun(this.#place, run));
    for (const id of this.#followed.keys())
      if (!items.some((run) => run.id === id)) this.#followed.delete(id);
    this.#spent = await allRows(
      database,
      spentRow,
      `select task_id as task, coalesce(sum(token_total), 0)::bigint as tokens, sum(usd)::float8 as usd,
         coalesce(sum(extract(epoch from ended_at - started_at) * 1000), 0)::float8 as ms
       from runs where loop_id = $1 and status <> 'running' group by 1`,
      [this.#id],
    );
  }

  /** Reads what the agents have done since. */
  async listen(): Promise<void> {
    await Promise.all([...this.#followed.values()].map((run) => run.read()));
  }

  /** undefined: nothing was read yet. */
  get state(): LiveState | undefined {
    if (!this.#loop) return undefined;
    const live = [...this.#followed.values()].map((run) => run.live);
    const usds = [...this.#spent, ...live].flatMap(({ usd }) => usd ?? []);
    return {
      loop: this.#loop,
      tasks: this.#tasks.map((task) => this.#task(task)),
      planning: this.#runOf(null),
      tokens: sum([...this.#spent, ...live].map(({ tokens }) => tokens)),
      usd: usds.length === 0 ? null : sum(usds),
    };
  }

  #task({ id, number, title, role, state, needs, detail }: TaskRow): LiveTask {
    // One that has ended may have an agent for another moment, which nobody waits for.
    const run = ended.has(state) ? undefined : this.#runOf(id);
    const spent = this.#spent.find(({ task }) => task === id);
    const tokens = (spent?.tokens ?? 0) + (run?.tokens ?? 0);
    return { number, title, role, state, needs, detail, run, tokens, tookMs: spent?.ms ?? 0 };
  }

  #runOf(task: string | null): LiveRun | undefined {
    const found = this.#running.find((run) => run.task === task);
    return found && this.#followed.get(found.id)?.live;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
