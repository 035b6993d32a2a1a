import type { Limits } from "@opentiger/sandbox";
import type { Project } from "@opentiger/schema";

const units: Readonly<Record<string, number>> = { k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 };

/** What the project says of its sandboxes' size; what it does not say is left to the backend. */
export function sandboxLimits({ limits: { memory, cpus, pids } }: Pick<Project, "limits">): Partial<Limits> {
  const [, count, unit = ""] = /^(\d+)([kmgt])$/i.exec(memory ?? "") ?? [];
  const factor = units[unit.toLowerCase()];
  return {
    ...(count === undefined || factor === undefined ? {} : { memoryBytes: Number(count) * factor }),
    ...(cpus === null ? {} : { cpus }),
    ...(pids === null ? {} : { pids }),
  };
}
