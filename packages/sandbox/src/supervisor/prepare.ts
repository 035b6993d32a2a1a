import { execFile } from "node:child_process";
import { dirname } from "node:path";
import { promisify } from "node:util";
import type { PrepareRequest } from "@opentiger/schema";
import type { SupervisorConfig } from "./config.ts";
import type { Launcher } from "./launch.ts";

const run = promisify(execFile);

/**
 * Makes a container of any image fit for an agent of any uid: an entry in passwd and group, a HOME it can write,
 * git settings, and workspace folders that it owns. Doing it again changes nothing.
 */
export async function prepare(request: PrepareRequest, config: SupervisorConfig, launcher: Launcher): Promise<void> {
  const owner = config.isolation === "agent-root" ? { uid: 0, gid: 0 } : null;
  const agent = { uid: config.agentUid, gid: config.agentGid };
  await script(account, owner, {
    AGENT_UID: String(agent.uid),
    AGENT_GID: String(agent.gid),
    AGENT_HOME: request.home,
    GIT_SETTINGS: gitSettings(request),
  });
  for (const folder of request.ownedFolders) {
    const env = { FOLDER: folder, PARENT: dirname(folder) };
    await script(makeStage, owner, env);
    await script(`mkdir -m 0777 -- "$PARENT/.opentiger-stage/folder" 2>/dev/null || true`, agent, env);
    await script(moveFromStage, owner, env);
    await script(`chmod 0755 -- "$FOLDER" 2>/dev/null || true`, agent, env);
  }

  /** As the given user, or as the supervisor itself, which owns the image's files. */
  async function script(text: string, user: { uid: number; gid: number } | null, env: Record<string, string>) {
    const drop = user ? launcher.privilegeDrop(user, { kind: "group", gid: launcher.markers.take() }) : [];
    const [command = "", ...args] = [...drop, "sh", "-euc", text];
    await run(command, args, { env: { PATH: process.env["PATH"] ?? "", ...env }, cwd: "/" });
  }
}

const account = `
if ! grep -q "^[^:]*:[^:]*:$AGENT_GID:" /etc/group 2>/dev/null; then
  echo "agent:x:$AGENT_GID:" >> /etc/group
fi
if ! grep -q "^[^:]*:[^:]*:$AGENT_UID:" /etc/passwd 2>/dev/null; then
  echo "agent:x:$AGENT_UID:$AGENT_GID:agent:$AGENT_HOME:/bin/sh" >> /etc/passwd
fi
if [ ! -d "$AGENT_HOME" ]; then
  mkdir -p -- "$AGENT_HOME"
  chmod 0777 -- "$AGENT_HOME"
fi
if ! grep -qs "# made by opentiger" /etc/gitconfig; then
  printf '%s' "$GIT_SETTINGS" >> /etc/gitconfig
fi
`;

/**
 * Nobody here may give a file away, so the agent makes the folder itself, in a place where anybody may, and the
 * supervisor moves it: within one file system, and while its mode still lets the supervisor change its parent.
 */
const makeStage = `
if [ -d "$FOLDER" ]; then exit 0; fi
mkdir -p -- "$PARENT"
mkdir -p -m 1777 -- "$PARENT/.opentiger-stage"
`;

const moveFromStage = `
if [ -d "$PARENT/.opentiger-stage" ]; then
  mv -T -- "$PARENT/.opentiger-stage/folder" "$FOLDER"
  rmdir -- "$PARENT/.opentiger-stage"
fi
`;

/** System-wide, the weakest place: what the user or the repository sets wins. */
function gitSettings(request: PrepareRequest): string {
  const user = [
    request.gitName === null ? "" : `\tname = ${quoted(request.gitName)}\n`,
    request.gitEmail === null ? "" : `\temail = ${quoted(request.gitEmail)}\n`,
  ].join("");
  return `# made by opentiger\n[safe]\n\tdirectory = *\n${user ? `[user]\n${user}` : ""}`;
}

function quoted(value: string): string {
  const oneLine = value.replaceAll(/[\u0000-\u001f]/g, " ");
  return `"${oneLine.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
