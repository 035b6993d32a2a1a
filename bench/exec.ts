import { spawnSync } from "node:child_process";
import {
  bridge,
  collect,
  openDialledSession,
  openSession,
  type Sandbox,
  type Session,
} from "@opentiger/sandbox";
import type Docker from "dockerode";
import { type Series, sideBySide } from "./measure.ts";
import type { Place } from "./place.ts";

export const execNames = {
  socket: "library, socket carrier",
  stdio: "library, exec stdio carrier",
  dockerExec: "`docker exec`",
  engineApi: "Engine API exec",
  command: "`docker sandbox exec`",
} as const;

/** `true` in a warm sandbox, by every way there is. */
export async function measureExec(place: Place, sandbox: Sandbox, rounds: number): Promise<Series[]> {
  const containerId = await place.containerOf(sandbox.name);
  const holder = { holder: "bench", generation: 0 };
  const socket = await openDialledSession(place.carrierOf(sandbox.name), holder);
  const stdio = await openSession(await bridge(place.docker, containerId, "bridge"), holder);
  try {
    return await sideBySide(
      [
        { name: execNames.socket, run: () => execOver(socket) },
        { name: execNames.stdio, run: () => execOver(stdio) },
        { name: execNames.engineApi, run: () => engineExec(place.docker, containerId) },
        { name: execNames.dockerExec, run: async () => command(place, ["exec", containerId, "true"]) },
        {
          name: execNames.command,
          run: async () => command(place, ["sandbox", "exec", sandbox.name, "true"]),
        },
      ],
      rounds,
      5,
    );
  } finally {
    await socket.close();
    await stdio.close();
  }
}

let execs = 0;

async function execOver(session: Session): Promise<void> {
  execs += 1;
  const { exit } = await collect(await session.exec({ id: `bench-exec-${execs}`, command: ["true"] }));
  if (exit.code !== 0) throw new Error(`exit ${exit.code}`);
}

async function engineExec(docker: Docker, containerId: string): Promise<void> {
  const exec = await docker.getContainer(containerId).exec({ Cmd: ["true"], AttachStdout: true });
  const stream = await exec.start({});
  await new Promise<void>((resolve, reject) => {
    stream.once("end", resolve).once("error", reject).resume();
  });
  await exec.inspect();
}

/** Synchronous on purpose: nothing of the benchmark's own runs beside the command. */
function command(place: Place, args: string[]): void {
  const { status, stderr } = spawnSync("docker", args, { env: place.env, stdio: ["ignore", "pipe", "pipe"] });
  if (status !== 0) throw new Error(stderr.toString());
}
