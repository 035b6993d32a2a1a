import type { Limits } from "@opentiger/sandbox";
import { type Project, sizeOf } from "@opentiger/schema";

/** What the project says of its sandboxes' size; what it does not say is left to the backend. */
export function sandboxLimits({ limits: { memory, cpus, pids } }: Pick<Project, "limits">): Partial<Limits> {
  const memoryBytes = memory === null ? undefined : sizeOf(memory);
  return {
    ...(memoryBytes === undefined ? {} : { memoryBytes }),
    ...(cpus === null ? {} : { cpus }),
    ...(pids === null ? {} : { pids }),
  };
}
