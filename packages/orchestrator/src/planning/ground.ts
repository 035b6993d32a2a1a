import type { Sandbox } from "@opentiger/sandbox";
import type { CheckRound, ExecutionEnvironment, Project } from "@opentiger/schema";
import type { AgentChoice } from "../agent/agent-choice.ts";
import { type Chosen, chosenFor, chosenNow } from "../agent/chosen.ts";
import { authenticate } from "../agent/credentials.ts";
import { redactionOf } from "../agent/known-secrets.ts";
import { OrchestratorError } from "../errors.ts";
import { LoopRepository } from "../git/repository.ts";
import type { Place } from "../place.ts";
import { ensurePrepared } from "../project/prepared.ts";
import { readProject } from "../project/read-project.ts";
import { makeSandbox } from "../project/sandbox.ts";
import { sandboxName } from "../project/sandbox-name.ts";
import { refuseUnanswered, shownProject } from "../project/shown-project.ts";
import { LeaseLost } from "../stage/lease-lost.ts";
import type { Lease } from "../state/lease.ts";
import type { LoopRow } from "../state/loops.ts";
import { tellOnce } from "../state/planning.ts";
import { findRepository } from "../state/repositories.ts";
import { listRuns, runOfStage } from "../state/runs.ts";
import { baselineOf } from "../verifying/baseline.ts";
import { baselineApart, isTakenApart } from "../verifying/baseline-apart.ts";
import { bringBase } from "./bring-base.ts";
import { redOf } from "./red-checks.ts";

/** What a loop stands on when it is planned. */
export interface Ground {
  loop: LoopRow;
  repository: LoopRepository;
  baseOid: string;
  project: Project;
  environment: ExecutionEnvironment;
  planner: AgentChoice;
  /** `loop-{loopId}-{tool}`: set up, logged in, at the base. Whoever has this closes it. */
  sandbox: Sandbox;
  /** How the project's checks stand before anything is changed; null where it has none. */
  baseline: CheckRound | null;
}

/**
 * Everything that is done once at the start of a loop. Each step finds what an earlier process did: the base in its row,
 * the prepared image and the baseline in theirs, the sandbox by its name.
 */
export async function layGround(
  place: Place,
  lease: Lease,
  loop: LoopRow,
  signal: AbortSignal,
): Promise<Ground> {
  const say = (line: string): void => place.log(`loop ${loop.id}: ${line}`);
  const repository = await openRepository(place, loop, signal);
  const { environment, choice: planner } = await chosenOf(place, lease, loop);
  const baseOid = loop.baseOid ?? (await bringBase(place, lease, { repository, environment }));
  const project = await readProject(repository, baseOid, loop.settings.project);
  const { detected, setup, verify, testPaths, sources } = project;
  const shown = shownProject(place, loop, project, environment);
  await tell(place, lease, "loop.project", { detected, setup, verify, testPaths, sources, ...shown });
  refuseUnanswered(loop, shown.beyond);
  const agent = planner.driver.template;
  const about = {
    loop: { ...loop, baseOid },
    repository,
    project,
    commit: baseOid,
    environment,
    agent,
    signal,
    say,
  };
  const prepared = await ensurePrepared(place, about);
  const name = sandboxName({ loop: loop.id, kind: "loop", agent });
  const backend = environment === "host" ? "host" : "docker";
  const redact = await redactionOf(place, { agent, name, backend });
  const setUpNotes = [...prepared.notes];
  const onSetUp = (notes: readonly string[]): void => void setUpNotes.push(...notes);
  const sandbox = await makeSandbox(place, { ...about, name, prepared, redact, phase: "run", onSetUp });
  try {
    await authenticate(place, sandbox);
    // Before its first planner nobody wrote in the loop's own sandbox; one that failed may have.
    const isUsed = (await listRuns(place.database, { loop: loop.id, limit: 1 })).items.length > 0;
    const look = (): Promise<CheckRound> =>
      isUsed || isTakenApart(place, about)
        ? baselineApart(place, {
            ...about,
            prepared,
            redact,
            name: sandboxName({ loop: loop.id, kind: "baseline", task: null }),
          })
        : baselineOf(place, { ...about, sandbox, redact, key: prepared.key });
    const baseline = verify.length === 0 ? null : await look();
    const { red, notes } = redOf(baseline);
    await tell(place, lease, "loop.baseline", { commit: baseOid, red, notes: [...setUpNotes, ...notes] });
    return { loop, repository, baseOid, project, environment, planner, sandbox, baseline };
  } catch (error) {
    await sandbox.close();
    throw error;
  }
}

/** A planner who is at work already goes on, where it is. */
async function chosenOf(place: Place, lease: Lease, loop: LoopRow): Promise<Chosen> {
  const now = chosenNow(place, loop, "planner");
  const begun = await runOfStage(place.database, lease.stage);
  return begun ? chosenFor(place, begun, now) : now;
}

async function openRepository(place: Place, loop: LoopRow, signal: AbortSignal): Promise<LoopRepository> {
  const row = await findRepository(place.database, loop.repository);
  if (!row)
    throw new OrchestratorError("internal", `the repository of loop ${loop.id} is not in the database`);
  return LoopRepository.open(place, row, signal);
}

async function tell(
  { database }: Place,
  lease: Lease,
  type: string,
  data: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (!(await tellOnce(database, lease, type, data))) throw new LeaseLost(lease.stage);
}
