import { SandboxError } from "@opentiger/sandbox";
import type { LaunchPlace } from "../driver.ts";
import { Follower } from "./follower.ts";
import type { AdoptRequest, AgentRun } from "./request.ts";
import { type ReadRecord, readTranscript } from "./transcript-reader.ts";

/**
 * Takes over a run whose process died. What it heard is read again from the transcript, and the exec is read on from the
 * byte behind it: no event is lost, none is told twice, and each has the number and time it would have had. Whoever calls
 * this knows that the other process is gone, or lets go.
 */
export async function adoptAgent(request: AdoptRequest): Promise<AgentRun> {
  const records = readTranscript(request.transcript);
  const first = await records.next();
  const { run, size } = runOf(first.done ? undefined : first.value, request);
  const place: LaunchPlace = { ...run.place, env: { ...request.env, ...request.gateway?.env } };
  return new Follower(request, run, place).adopt(records, size);
}

function runOf(first: ReadRecord | undefined, { id, driver, transcript }: AdoptRequest) {
  if (first?.record.kind === "run" && first.record.id === id && first.record.driver === driver.name)
    return { run: first.record, size: first.size };
  throw new SandboxError("usage", `${transcript} is not the transcript of the run ${id} of ${driver.title}`, {
    remedy: "start the run anew under another id",
  });
}
