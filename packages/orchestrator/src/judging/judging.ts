import { anySignal, type ExecutionEnvironment, type Project } from "@opentiger/schema";
import { type AgentChoice, templateOf } from "../agent/agent-choice.ts";
import { chosenFor, chosenNow } from "../agent/chosen.ts";
import { redactionOf } from "../agent/known-secrets.ts";
import { openRun } from "../agent/open-run.ts";
import { runFolder } from "../agent/run-files.ts";
import { type JudgedTask, readJudgedTask } from "../merging/judged-task.ts";
import type { Place } from "../place.ts";
import { asApproved } from "../planning/approval.ts";
import { knownProject } from "../project/known-project.ts";
import { sandboxName } from "../project/sandbox-name.ts";
import { workplaceOf } from "../running/work.ts";
import { Journal } from "../stage/journal.ts";
import type { Lease } from "../state/lease.ts";
import type { RunRow } from "../state/runs.ts";

/** One judgement under way: what is judged, by whom, and how far it has come. */
export interface Judging extends JudgedTask {
  place: Place;
  lease: Lease;
  /** Of the judge. `run` is the one that made the candidate. */
  judgeRun: RunRow;
  choice: AgentChoice;
  environment: ExecutionEnvironment;
  /** Commands of the task, and of tests that were held for it, that nobody has let run here. */
  leftOut: readonly string[];
  /** As the loop's base commit has it: nothing that a task commits changes how it is judged. */
  project: Project;
  /** What is known already, where another process began. */
  journal: Journal;
  /** Aborted when the lease is lost, the process ends, or the judgement takes too long. */
  signal: AbortSignal;
  redact: (text: string) => string;
  say: (line: string) => void;
}

/** Begins a judgement, or goes on with the one that another holder of the stage began, on the tip that it began with. */
export async function openJudging(place: Place, lease: Lease, signal: AbortSignal): Promise<Judging> {
  const judged = await readJudgedTask(place, lease, signal);
  const { loop, task, repository } = judged;
  const now = chosenNow(place, loop, "judge");
  const judgeRun = await openRun(place, lease, {
    agent: now.choice.name,
    role: "judge",
    baseOid: judged.tip,
  });
  const { environment, choice } = await chosenFor(place, judgeRun, now);
  const about = { loop, task, environment };
  const worker = workplaceOf(about, templateOf(judged.run.agent));
  const agent = choice.driver.template;
  const name = sandboxName({ loop: loop.id, kind: "judge", agent, task: task.number, part: null });
  const { tasks, leftOut } = await asApproved(place.database, loop, environment, [task, ...judged.held]);
  const [approved = task, ...held] = tasks;
  return {
    ...judged,
    task: approved,
    held,
    leftOut,
    tip: judgeRun.baseOid ?? judged.tip,
    place,
    lease,
    judgeRun,
    choice,
    environment,
    project: await knownProject(repository, loop.baseOid ?? judged.tip, loop.settings.project),
    journal: new Journal(runFolder(place, judgeRun)),
    signal: anySignal([signal, AbortSignal.timeout(timeLeft(place, judgeRun))]),
    redact: await redactionOf(place, worker, { ...workplaceOf(about, agent), name }),
    say: (line) => place.log(`loop ${loop.id}, task ${task.number}, judge: ${line}`),
  };
}

function timeLeft({ config }: Place, { startedAt }: RunRow): number {
  return Math.max(1, config.get("OPENTIGER_JUDGE_TIMEOUT") - (Date.now() - startedAt.getTime()));
}
