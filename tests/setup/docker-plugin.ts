import { readdirSync, readFileSync } from "node:fs";
import { until } from "./until.ts";

/** The process that docker started as its plugin, whichever of docker's threads it was. */
export function pluginOf(dockerPid: number): Promise<number> {
  return until("docker has started the plugin", () => {
    const threads = readdirSync(`/proc/${dockerPid}/task`);
    const children = threads.flatMap((thread) => words(`/proc/${dockerPid}/task/${thread}/children`));
    return children.map(Number).find((pid) => words(`/proc/${pid}/cmdline`).join().includes("sandbox-exec"));
  });
}

/** A process that has just ended says nothing. */
function words(file: string): string[] {
  try {
    return readFileSync(file, "utf8")
      .split(/[\s\0]+/)
      .filter(Boolean);
  } catch {
    return [];
  }
}
