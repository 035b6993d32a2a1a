import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { startTimeOf } from "@opentiger/sandbox";
import { type OwnProcess, processesOf } from "./processes-of.ts";

/** Of what was told to end and is just ending; shorter than a supervisor takes to see that it is forgotten. */
const graceMs = 2_000;

/** Fails when a process of ours is left whose state folder a test made and has removed: nobody can end it any more. */
export async function refuseOrphans(): Promise<void> {
  const begun = Date.now();
  for (;;) {
    const left = orphans();
    if (left.length === 0) return;
    if (Date.now() - begun > graceMs)
      throw new Error(
        `left running without their state folder:\n${left.map(({ pid, command }) => `${pid} ${command}`).join("\n")}`,
      );
    await delay(100);
  }
}

/**
 * Those whose state folder lay in a folder of temporary files that is gone. One that is only not made yet is none, and
 * what is older than us is not of this run.
 */
export function orphans(): OwnProcess[] {
  const below = `${tmpdir()}/`;
  const begun = ticksOf(process.pid);
  return processesOf(below).filter((own) => {
    const folder = stateOf(own) ?? "";
    const [made = ""] = folder.slice(below.length).split("/");
    return folder.startsWith(below) && !existsSync(below + made) && ticksOf(own.pid) >= begun;
  });
}

/** When it was started; 0 when it has ended meanwhile. */
function ticksOf(pid: number): number {
  return Number(startTimeOf(pid) ?? 0);
}

/** The supervisor of a host sandbox has nothing of ours in its environment, and its own file in the state folder. */
function stateOf({ command, environment }: OwnProcess): string | undefined {
  const file = /(\S+)\/supervisor\/[0-9a-f]+\.cjs serve$/.exec(command);
  return file?.[1] ?? /(?:^|\0)OPENTIGER_HOME=([^\0]+)/.exec(environment)?.[1];
}
