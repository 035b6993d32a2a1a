import { SandboxError } from "@opentiger/sandbox";
import { OrchestratorError } from "../errors.ts";
import type { Place } from "../place.ts";
import { isPassing } from "../stage/passing-trouble.ts";
import type { Lease } from "../state/lease.ts";
import { writeArtifacts } from "./artifacts.ts";
import { conclude } from "./conclude.ts";
import { type Conclusion, inconclusive } from "./conclusion.ts";
import { deliberate } from "./deliberate.ts";
import { type Judging, openJudging } from "./judging.ts";

/**
 * Judges the candidate of the lease's task on the loop's branch as it is now, and moves the task on by what came of it.
 * Whatever goes wrong on the way makes the judgement inconclusive; nothing but evidence makes it a pass.
 */
export async function judgeStage(place: Place, lease: Lease, signal: AbortSignal): Promise<void> {
  const judging = await openJudging(place, lease, signal);
  const conclusion = await fullyJudged(judging, signal);
  signal.throwIfAborted();
  await conclude(judging, conclusion, await writeArtifacts(judging, conclusion));
}

async function fullyJudged(judging: Judging, signal: AbortSignal): Promise<Conclusion> {
  try {
    return await deliberate(judging);
  } catch (error) {
    // The next holder goes on with it.
    signal.throwIfAborted();
    if (judging.signal.aborted) return inconclusive("the judgement took longer than it may");
    if (isOurs(error)) throw error;
    return inconclusive(error instanceof Error ? error.message : String(error));
  }
}

/** A database, an engine or a sandboxd that is not there says nothing of the candidate, and is back in a moment. */
function isOurs(error: unknown): boolean {
  const isSandboxLost = error instanceof SandboxError && error.code === "session_lost";
  if (isPassing(error) && !isSandboxLost) return true;
  return error instanceof OrchestratorError && error.code.startsWith("database_");
}
