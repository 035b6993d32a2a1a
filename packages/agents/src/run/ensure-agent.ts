import { rmSync } from "node:fs";
import { errno } from "@opentiger/schema";
import { adoptAgent } from "./adopt-agent.ts";
import type { AdoptRequest, AgentRun, RunRequest } from "./request.ts";
import { startAgent } from "./run-agent.ts";
import { readTranscript } from "./transcript-reader.ts";

/**
 * The run of this id, begun once whoever dies meanwhile: it is taken over where its transcript is there, else started.
 * Whoever calls this knows that no other process is doing the same.
 */
export async function ensureAgent(request: RunRequest & Pick<AdoptRequest, "after">): Promise<AgentRun> {
  if (await wasBegun(request.transcript)) return adoptAgent(request);
  // A start that did not get as far as the CLI may have left this, and the run's folder.
  rmSync(request.transcript, { force: true });
  return startAgent(request, "removed");
}

/** The first record is written before the CLI is started: without it nothing ever ran. */
async function wasBegun(transcript: string): Promise<boolean> {
  try {
    for await (const { record } of readTranscript(transcript)) return record.kind === "run";
    return false;
  } catch (error) {
    if (errno(error) === "ENOENT") return false;
    throw error;
  }
}
