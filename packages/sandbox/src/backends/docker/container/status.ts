import type { SandboxRecord, SandboxStatus } from "@opentiger/schema";
import { creatorLives } from "../../../state/creator.ts";

/** What the engine's word for a container's state means for a sandbox. */
export function statusOfContainer(state: string): SandboxStatus {
  switch (state) {
    case "running":
      return "running";
    case "paused":
      return "paused";
    case "created":
    case "exited":
      return "stopped";
    default:
      return "broken";
  }
}

/** A record tells what the engine cannot: that a sandbox is not finished, or was given up in the middle. */
export function statusOfRecord(record: SandboxRecord, containerState: string | undefined): SandboxStatus {
  if (record.state === "creating") return creatorLives(record) ? "creating" : "broken";
  if (record.state === "removing" || containerState === undefined) return "broken";
  return statusOfContainer(containerState);
}
