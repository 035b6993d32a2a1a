import type { NetworkSettings, SandboxRecord } from "@opentiger/schema";

/** What is weaker here than in other sandboxes, in a sentence for the user; undefined when nothing is. */
export function weaknessOf(
  record: Pick<SandboxRecord, "carrier" | "isolation" | "network" | "mounts">,
): string | undefined {
  const sentences = [weakIsolation(record), exposedFolders(record), weakNetwork(record.network)];
  return sentences.filter((each) => each !== undefined).join(" ") || undefined;
}

/** What is weaker with these rules than with others; undefined when nothing is. */
export function weakNetwork({ policy, bypassHosts, bypassCidrs }: NetworkSettings): string | undefined {
  if (policy === "open") {
    return (
      "The policy is open: the sandbox is attached to a network of the engine, and what it reaches there, other " +
      "machines and services of your networks included, is neither checked nor logged."
    );
  }
  const bypassed = [...bypassHosts, ...bypassCidrs];
  if (bypassed.length === 0) return undefined;
  return (
    `Tunnels to ${bypassed.join(", ")} bypass the gateway: nobody sees what is sent there, so an agent can carry data ` +
    "out with a key that is not yours, and no budget counts it."
  );
}

function exposedFolders({ mounts = [] }: Pick<SandboxRecord, "mounts">): string | undefined {
  if (mounts.length === 0) return undefined;
  const folders = mounts.map(({ source }) => source).join(", ");
  return (
    `Commands inside can read ${folders} and carry off the logins in there; ` +
    "with SANDBOX_CREDENTIALS=broker, which is the default, they would never see one."
  );
}

function weakIsolation(record: Pick<SandboxRecord, "carrier" | "isolation" | "network">): string | undefined {
  if (record.carrier === "engine-exec") {
    return (
      "This image has no node or no setpriv (util-linux), so commands go through the engine: slower, their output " +
      "cannot be resumed, and a process that clears its environment survives a kill." +
      (record.network.policy === "open" ? "" : " Nobody inside opens a way out, so it has no network at all.")
    );
  }
  if (record.isolation === "agent-root") {
    return (
      "Commands are root inside, since the workspace's owner is root there; they have no capability and cannot reach " +
      "the supervisor, but an exit code is no evidence. Use --clone, or give the folder to another user."
    );
  }
  return undefined;
}
