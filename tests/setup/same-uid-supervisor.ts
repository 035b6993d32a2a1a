import { randomBytes } from "node:crypto";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { dialBack } from "../../packages/sandbox/src/carriers/socket.ts";
import { insidePaths, supervisorConfigVariable } from "../../packages/sandbox/src/protocol/paths.ts";
import type { Sandbox } from "../../packages/sandbox/src/sandbox.ts";
import { openSession } from "../../packages/sandbox/src/session/session.ts";
import { sandboxOverSession } from "../../packages/sandbox/src/session/session-sandbox.ts";
import type { SupervisorConfig } from "../../packages/sandbox/src/supervisor/config.ts";
import { atEnd } from "./at-end.ts";
import { docker, removeContainer, workerImage } from "./docker.ts";
import { agentUid, temporaryFolder } from "./temporary-workspace.ts";

const supervisorBundle = fileURLToPath(
  new URL("../../packages/sandbox/dist/supervisor.cjs", import.meta.url),
);

const signalGuard = /"SIGUSR1",/;

export interface SameUidSandbox {
  sandbox: Sandbox;
  container: string;
}

/**
 * The prototype that the attacks on the guard worked against: our own supervisor, in a plain container, as the very
 * user whose commands it runs. `withoutSignalGuard` takes out the line that handles SIGUSR1 as well.
 */
export async function sameUidSandbox(
  workspace: string,
  options: { withoutSignalGuard?: boolean; flags?: readonly string[] } = {},
): Promise<SameUidSandbox> {
  const carrier = temporaryFolder("opentiger-c-");
  chmodSync(carrier, 0o777);
  const bundle = options.withoutSignalGuard ? unguardedBundle() : supervisorBundle;
  const name = `opentiger-same-uid-${randomBytes(6).toString("hex")}`;
  const mounts = [
    `${workspace}:${workspace}`,
    `${bundle}:${insidePaths.supervisor}:ro`,
    `${carrier}:${insidePaths.carrier}`,
  ];
  await docker(
    "run",
    "--detach",
    "--name",
    name,
    "--init",
    "--network",
    "none",
    "--user",
    `${agentUid}:${agentUid}`,
    "--tmpfs",
    `${insidePaths.run}:mode=0777`,
    ...mounts.flatMap((mount) => ["--volume", mount]),
    "--env",
    `${supervisorConfigVariable}=${JSON.stringify(configuration(workspace))}`,
    ...(options.flags ?? []),
    workerImage,
    "node",
    insidePaths.supervisor,
    "serve",
  );
  const socket = await dialBack(carrier, "session");
  const session = await openSession(socket, { holder: "test", generation: 0 });
  atEnd(async () => {
    await session.close();
    await removeContainer(name);
  });
  const facts = { name, id: name, agent: "shell", backend: "docker", workspaceKind: "direct" } as const;
  const more = { workspaces: [{ path: workspace, readOnly: false }], weakness: "the same uid" };
  const noTerminal = () => Promise.reject(new Error("no terminal here"));
  return { container: name, sandbox: sandboxOverSession({ ...facts, ...more }, session, noTerminal) };
}

function configuration(workDir: string): SupervisorConfig {
  return {
    isolation: "none",
    agentUid,
    agentGid: agentUid,
    home: "/tmp",
    workDir,
    carrierDir: insidePaths.carrier,
    controlSocket: insidePaths.control,
    prepare: null,
  };
}

function unguardedBundle(): string {
  const guarded = readFileSync(supervisorBundle, "utf8");
  if (!signalGuard.test(guarded)) throw new Error("the supervisor's bundle has no SIGUSR1 guard to take out");
  const file = join(temporaryFolder("opentiger-unguarded-"), "supervisor.cjs");
  writeFileSync(file, guarded.replace(signalGuard, ""));
  chmodSync(join(file, ".."), 0o755);
  return file;
}
