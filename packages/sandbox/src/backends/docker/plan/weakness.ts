import type { SandboxRecord } from "@opentiger/schema";

/** What is weaker here than in other sandboxes, in a sentence for the user; undefined when nothing is. */
export function weaknessOf(
  record: Pick<SandboxRecord, "carrier" | "isolation" | "network" | "mounts">,
): string | undefined {
  const sentences = [weakIsolation(record), exposedFolders(record)].filter((each) => each !== undefined);
  return sentences.length > 0 ? sentences.join(" ") : undefined;
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
