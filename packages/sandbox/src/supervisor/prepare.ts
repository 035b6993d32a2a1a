import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import type { PrepareRequest } from "@opentiger/schema";
import { gitSettings, gitSettingsMark } from "../protocol/git-settings.ts";
import { sshSettings, sshSettingsFile } from "../protocol/ssh-settings.ts";
import type { SupervisorConfig } from "./config.ts";
import type { Launcher } from "./launch.ts";
import { RefusedError } from "./refusals.ts";
import { systemPath, systemTool } from "./system-tools.ts";

const run = promisify(execFile);

interface Identity {
  uid: number;
  gid: number;
}

/**
 * Makes a container of any image fit for an agent of any uid: an entry in passwd and group, a HOME it can write,
 * settings of git and ssh, and workspace folders that it owns. Doing it again changes nothing.
 */
export async function prepare(
  request: PrepareRequest,
  config: SupervisorConfig,
  launcher: Launcher,
): Promise<void> {
  const agent = { uid: config.agentUid, gid: config.agentGid };
  const settings = {
    AGENT_UID: String(agent.uid),
    AGENT_GID: String(agent.gid),
    AGENT_HOME: request.home,
    GIT_SETTINGS: gitSettings(request),
    SSH_SETTINGS: config.doors === "all" ? sshSettings : "",
  };
  // The owner of the image's files: the supervisor itself, or, where the agent is root, the agent.
  const owner = config.isolation === "agent-root" ? launcher.dropFor(agent) : [];
  await Promise.all([
    execute([...owner, systemTool("sh"), "-euc", account], settings),
    makeOwnedFolders(request.ownedFolders, agent, launcher),
  ]);
}

/** One shell and nothing that it would have to fork for in the usual case: every sandbox waits for this. */
const account = `
has_id() {
  while IFS=: read -r _ _ id _; do [ "$id" != "$2" ] || return 0; done < "$1"
  return 1
}
has_line() {
  while read -r line; do [ "$line" != "$2" ] || return 0; done < "$1"
  return 1
}
for file in /etc/passwd /etc/group /etc/gitconfig; do [ -e "$file" ] || : > "$file"; done
has_id /etc/group "$AGENT_GID" || echo "agent:x:$AGENT_GID:" >> /etc/group
has_id /etc/passwd "$AGENT_UID" || echo "agent:x:$AGENT_UID:$AGENT_GID:agent:$AGENT_HOME:/bin/sh" >> /etc/passwd
if [ ! -d "$AGENT_HOME" ]; then
  mkdir -p -- "$AGENT_HOME"
  chmod 0777 -- "$AGENT_HOME"
fi
has_line /etc/gitconfig "${gitSettingsMark}" || printf '%s' "$GIT_SETTINGS" >> /etc/gitconfig
if [ -n "$SSH_SETTINGS" ] && [ -d ${dirname(sshSettingsFile)} ] && [ ! -e ${sshSettingsFile} ]; then
  printf '%s' "$SSH_SETTINGS" > ${sshSettingsFile} || :
fi
`;

/**
 * Nobody here may give a file away, so the agent makes the folder itself. For that moment anybody may write where it
 * is to be; no command of the agent's runs yet.
 */
async function makeOwnedFolders(
  folders: readonly string[],
  agent: Identity,
  launcher: Launcher,
): Promise<void> {
  for (const folder of folders) {
    if (existsSync(folder)) continue;
    const parent = dirname(folder);
    mkdirSync(parent, { recursive: true });
    const { uid, mode } = statSync(parent);
    const isOurs = uid === process.getuid?.();
    if (isOurs) chmodSync(parent, 0o1777);
    try {
      await execute([...launcher.dropFor(agent), systemTool("mkdir"), "--", folder], {});
    } finally {
      if (isOurs) chmodSync(parent, mode & 0o7777);
    }
  }
}

/** Whatever the reason, the last line of what was said names it; the command itself would tell nobody anything. */
async function execute(argv: readonly string[], env: Record<string, string>): Promise<void> {
  const [command = "", ...args] = argv;
  try {
    await run(command, args, { env: { PATH: systemPath, ...env }, cwd: "/" });
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    const said = stderr?.trim().split("\n").at(-1) || message.split("\n")[0];
    throw new RefusedError("sandbox_broken", `the sandbox could not be made ready for commands: ${said}`);
  }
}
