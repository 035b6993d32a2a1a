import { setTimeout as sleep } from "node:timers/promises";
import { errno } from "@opentiger/schema";
import { OrchestratorError } from "../../errors.ts";
import { livePostmaster } from "./pid-files.ts";
import type { PostgresPlace } from "./place.ts";
import { processesOn } from "./processes.ts";

/** fast: what is under way is rolled back and all is written. immediate: as by a crash, and recovered at the next start. */
export type StopMode = "fast" | "immediate";

const signals = { fast: "SIGINT", immediate: "SIGQUIT" } as const;

/** Writing a checkpoint to a slow disk takes a while. */
const stopTimeoutMs = 60_000;
const pauseMs = 20;

/** Says whether there was a server to stop; returns when it and all its processes are gone. */
export async function stopServer(place: Pick<PostgresPlace, "data">, mode: StopMode): Promise<boolean> {
  const pid = livePostmaster(place);
  if (pid === undefined) return false;
  signal(pid, signals[mode]);
  await gone(place);
  return true;
}

/**
 * Ends the processes that a killed server left. Most end by themselves at once; one that is in the middle of a long
 * statement does not notice that its server is dead, and no other server may start meanwhile. They have nothing to lose
 * that the server's own end has not lost. The caller holds the instance's lock.
 */
export async function endOrphans(place: Pick<PostgresPlace, "data">): Promise<void> {
  if (livePostmaster(place) !== undefined) return;
  for (const pid of processesOn(place.data)) signal(pid, "SIGKILL");
  await gone(place);
}

async function gone({ data }: Pick<PostgresPlace, "data">): Promise<void> {
  const until = performance.now() + stopTimeoutMs;
  for (;;) {
    const left = processesOn(data);
    if (left.length === 0) return;
    if (performance.now() > until) {
      throw new OrchestratorError(
        "database_unavailable",
        `processes of the database do not end: ${left.join(" ")}`,
        {
          remedy: `kill -9 ${left.join(" ")}; nothing that was acknowledged is lost`,
        },
      );
    }
    await sleep(pauseMs);
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (errno(error) !== "ESRCH") throw error;
  }
}
