import type { SandboxRecord } from "@opentiger/schema";
import type { Session } from "../../../session/session.ts";

/**
 * Tells a supervisor that was just started what is not in its container's settings: the environment, which the
 * engine must not see, and the working directory, which one from the pool learned when it was adopted.
 */
export async function tellSettings(session: Session, record: SandboxRecord): Promise<void> {
  const [workspace] = record.workspaces;
  await session.prepare({
    home: record.user.home,
    gitName: null,
    gitEmail: null,
    ownedFolders: [],
    env: record.env,
    ...(workspace ? { workDir: workspace.path } : {}),
  });
}
