import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { atEnd } from "./at-end.ts";
import { docker, removeContainer, workerImage } from "./docker.ts";
import type { Place, Said } from "./place.ts";
import { agentUid } from "./temporary-workspace.ts";

export interface PlainContainer extends Place {
  name: string;
}

/**
 * What people use today: `docker run -v $PWD:$PWD`, commands by `docker exec`. Every attack is shown to work here or
 * under a supervisor of the agent's own uid, so that a test that sees it stopped has seen something.
 */
export async function plainContainer(
  workspace: string,
  options: { user?: string; flags?: readonly string[]; main?: readonly string[] } = {},
): Promise<PlainContainer> {
  const name = `opentiger-plain-${randomBytes(6).toString("hex")}`;
  const user = options.user ?? `${agentUid}:${agentUid}`;
  const main = options.main ?? ["sleep", "infinity"];
  const own = ["--name", name, "--init", "--user", user, "--volume", `${workspace}:${workspace}`];
  const flags = ["--workdir", workspace, ...(options.flags ?? [])];
  await docker("run", "--detach", ...own, ...flags, workerImage, ...main);
  atEnd(() => removeContainer(name));
  return { name, run: (command) => dockerExec(name, command) };
}

function dockerExec(name: string, command: readonly string[]): Promise<Said> {
  return new Promise((resolve) => {
    execFile("docker", ["exec", name, ...command], (error, stdout, stderr) => {
      const code = typeof error?.code === "number" ? error.code : 0;
      resolve({ code, reason: "exited", stdout, stderr });
    });
  });
}
