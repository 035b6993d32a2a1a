import type { AgentName, ExecutionEnvironment, Project } from "@opentiger/schema";
import type { AgentChoice } from "../agent/agent-choice.ts";
import { chosenFor, chosenNow } from "../agent/chosen.ts";
import { redactionOf, type Workplace } from "../agent/known-secrets.ts";
import { openRun } from "../agent/open-run.ts";
import { runFolder } from "../agent/run-files.ts";
import { OrchestratorError } from "../errors.ts";
import { LoopRepository } from "../git/repository.ts";
import type { Place } from "../place.ts";
import { asApproved } from "../planning/approval.ts";
import { knownProject } from "../project/known-project.ts";
import { sandboxName } from "../project/sandbox-name.ts";
import { Journal } from "../stage/journal.ts";
import { LeaseLost } from "../stage/lease-lost.ts";
import { heldTests, testedWorker } from "../state/held-tests.ts";
import type { Lease } from "../state/lease.ts";
import { findLoop, type LoopRow } from "../state/loops.ts";
import { findRepository } from "../state/repositories.ts";
import type { RunRow } from "../state/runs.ts";
import { findTask, type TaskRow } from "../state/tasks.ts";
import { tellLeftOut } from "./left-out.ts";

/** A run of a task under way: what is to be done, by whom, where, and how far it has come. */
export interface Work {
  place: Place;
  lease: Lease;
  signal: AbortSignal;
  loop: LoopRow;
  task: TaskRow;
  run: RunRow;
  repository: LoopRepository;
  /** The commit that the loop began with: what the project says of itself is read from there alone. */
  loopBase: string;
  /** Where the loop's branch is. */
  tip: string;
  project: Project;
  environment: ExecutionEnvironment;
  choice: AgentChoice;
  /** Tests that were written before, for this task. */
  held: TaskRow[];
  /** For a tester: whether the code that it tests is written afterwards. */
  testsFirst: boolean;
  journal: Journal;
  /** Of the agent, from 0 on: whenever people step in, the next one begins. */
  turn: number;
  /** Cleans what came out of where the agent works, and of commands that were run for it. */
  redact: (text: string) => string;
  say: (line: string) => void;
}

/** Begins the run of this stage, or goes on with the one that another holder began, with the agent that it chose. */
export async function openWork(place: Place, lease: Lease, signal: AbortSignal): Promise<Work> {
  const { database } = place;
  const [loop, task] = await Promise.all([
    findLoop(database, lease.loop),
    lease.task === null ? undefined : findTask(database, lease.task),
  ]);
  if (!loop || !task) throw incomplete(lease, "has no loop or no task");
  if (task.state !== "running" || task.fence !== lease.fence) throw new LeaseLost(lease.stage);
  const { baseOid, branchOid: tip } = loop;
  if (baseOid === null || tip === null) throw incomplete(lease, "belongs to a loop without a base");
  const row = await findRepository(database, loop.repository);
  if (!row) throw incomplete(lease, "belongs to a repository that is not known");
  const repository = await LoopRepository.open(place, row, signal);
  const project = await knownProject(repository, baseOid, loop.settings.project);
  const now = chosenNow(place, loop, task.role, task);
  const run = await openRun(place, lease, { agent: now.choice.name, role: task.role, baseOid: tip });
  const { environment, choice } = await chosenFor(place, run, now);
  const waiting = await heldTests(database, task.id);
  const { tasks, leftOut } = await asApproved(database, loop, environment, [task, ...waiting]);
  const [approved = task, ...held] = tasks;
  await tellLeftOut(database, lease, run, leftOut);
  return {
    place,
    lease,
    signal,
    loop,
    task: approved,
    run,
    repository,
    loopBase: baseOid,
    tip,
    project,
    environment,
    journal: new Journal(runFolder(place, run)),
    turn: 0,
    choice,
    held,
    testsFirst: task.role === "tester" && (await testedWorker(database, task.id)) !== undefined,
    redact: await redactionOf(place, workplaceOf({ loop, task, environment }, choice.driver.template)),
    say: (line) => place.log(`loop ${loop.id}, task ${task.number}, run ${run.number}: ${line}`),
  };
}

/** Everything that a task's sandbox, of whatever agent, is called by. */
export function taskSandboxName({ loop, task, choice }: Pick<Work, "loop" | "task" | "choice">): string {
  return nameFor(loop, choice.driver.template, task);
}

/** Where an agent works on a task, whether its sandbox is there or not. */
export function workplaceOf(
  { loop, task, environment }: Pick<Work, "loop" | "task" | "environment">,
  agent: AgentName,
): Workplace {
  const backend = environment === "host" ? "host" : "docker";
  return { agent, name: nameFor(loop, agent, task), backend };
}

function nameFor({ id: loop }: LoopRow, agent: AgentName, { number: task }: TaskRow): string {
  return sandboxName({ loop, kind: "task", agent, task });
}

function incomplete({ stage }: Lease, problem: string): OrchestratorError {
  return new OrchestratorError("internal", `stage ${stage} ${problem}`);
}
