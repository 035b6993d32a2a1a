import { readdirSync, readFileSync } from "node:fs";
import type Docker from "dockerode";
import { type Mount, parseMountinfo } from "../../../protocol/mountinfo.ts";

/** What of a running container is looked at. */
export type RunningContainer = Pick<Docker.ContainerInspectInfo, "Id"> & { State: { Pid: number } };

/**
 * What stands where in a container on this kernel, as the kernel tells it outside: for sandboxes without a supervisor
 * that could be asked, and for gVisor, whose own kernel inside does not know what the mounts really are. Undefined
 * where none of the processes here is the container's, as for a client that is in a container itself.
 */
export function outsideMounts({ Id: id, State }: RunningContainer): Mount[] | undefined {
  const pid = goferOf(id) ?? (belongs(State.Pid, id) ? State.Pid : undefined);
  const text = pid === undefined ? "" : read(`/proc/${pid}/mountinfo`);
  return text === "" ? undefined : parseMountinfo(text);
}

/** gVisor opens the host's files in a process beside the sandbox, which alone has them mounted. */
function goferOf(id: string): number | undefined {
  return readdirSync("/proc")
    .map(Number)
    .find((pid) => {
      const [name = "", ...args] = pid > 0 ? read(`/proc/${pid}/cmdline`).split("\0") : [];
      return /(?:^|\/)runsc-gofer$/.test(name) && args.some((arg) => arg.includes(id));
    });
}

/** The number comes from an engine that may count processes otherwise: it must be in the container's own group. */
function belongs(pid: number, id: string): boolean {
  return pid > 0 && read(`/proc/${pid}/cgroup`).includes(id);
}

/** A process that has just ended says nothing. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
