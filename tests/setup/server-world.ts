import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  claimed,
  claimOf,
  newLoop,
  newTask,
} from "../../packages/orchestrator/src/fixture/temporary-loops.ts";
import { addArtifact } from "../../packages/orchestrator/src/state/artifacts.ts";
import { claimStage } from "../../packages/orchestrator/src/state/claims.ts";
import { addJudgement } from "../../packages/orchestrator/src/state/judgements.ts";
import { startRun } from "../../packages/orchestrator/src/state/runs.ts";
import type { RunningServer } from "../../packages/server/src/server.ts";

export interface ServerWorld {
  loop: string;
  /** Running, queued, queued. */
  tasks: [string, string, string];
  run: string;
  artifact: number;
}

const oid = "1".repeat(40);

/** A loop with tasks, of which one is being run by somebody who is not there, with everything that is kept of a run. */
export async function serverWorld({ parts }: RunningServer, repository: string): Promise<ServerWorld> {
  const { database, folder } = parts.place;
  const { loop, tasks } = await newLoop(database, [newTask("a"), newTask("b"), newTask("c")]);
  await database.query("update repositories set path = $2 where id = $1", [loop.repository, repository]);
  const lease = await claimed(claimStage(database, claimOf("a test", { running: 1 })));
  const run = await startRun(database, lease, { agent: "claude_code", role: "worker", baseOid: oid });
  const [first, second, third] = tasks.map(({ id }) => id);
  if (!run || !first || !second || !third || lease.task !== first)
    throw new Error("another task was claimed");
  const files = join(folder, "runs", run.id);
  mkdirSync(files, { recursive: true, mode: 0o700 });
  const at = new Date().toISOString();
  const events = [1, 2, 3].map((seq) => JSON.stringify({ type: "text", text: `said ${seq}`, seq, at }));
  writeFileSync(join(files, "events.ndjson"), `${events.join("\n")}\n`);
  const path = join(files, "diff.patch");
  writeFileSync(path, "--- a\n+++ b\n");
  const { id } = await addArtifact(database, {
    run: run.id,
    kind: "diff",
    path,
    bytes: 12,
    keepMs: 86_400_000,
  });
  await addJudgement(database, {
    task: first,
    run: run.id,
    candidateOid: oid,
    baseOid: oid,
    judgement: "fail",
    evidence: { rounds: [], redBefore: [], notes: [], opinions: [], trouble: null, held: false },
    points: [{ by: "judge", file: null, line: null, text: "again" }],
  });
  return { loop: loop.id, tasks: [first, second, third], run: run.id, artifact: id };
}
