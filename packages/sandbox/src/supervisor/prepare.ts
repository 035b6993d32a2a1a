import { chmodSync, existsSync, mkdirSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Readable } from "node:stream";
import type { PrepareRequest } from "@opentiger/schema";
import { gitSettings, gitSettingsMark } from "../protocol/git-settings.ts";
import { sshSettings, sshSettingsFile } from "../protocol/ssh-settings.ts";
import type { SupervisorConfig } from "./config.ts";
import type { Identity, Launcher } from "./launch.ts";
import { RefusedError } from "./refusals.ts";
import { systemTool } from "./system-tools.ts";

/** The owner of the image's files. */
const root = { uid: 0, gid: 0 };

/** Of what a step complained of: enough for the error. */
const keptWords = 500;

/**
 * Makes a container of any image fit for an agent of any uid: an entry in passwd and group, a HOME it can write,
 * settings of git and ssh, and workspace folders that it can reach, which are its own in a clone. Doing it again changes nothing.
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
  await Promise.all([
    execute(launcher, root, [systemTool("sh"), "-euc", account], settings),
    giveFolders(request.ownedFolders, agent, launcher),
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

/** Whoever has nothing to do with a folder may pass through it, and not look into it. */
const passage = 0o001;

/** Each of them can be reached by the agent afterwards, and those that are not there yet are made as its own. */
async function giveFolders(folders: readonly string[], agent: Identity, launcher: Launcher): Promise<void> {
  for (const folder of folders) {
    const isThere = existsSync(folder);
    if (!isThere) mkdirSync(dirname(folder), { recursive: true });
    openWayTo(folder);
    if (!isThere) await makeOwned(folder, agent, launcher);
  }
}

/** Images keep some folders to root, its home above all; root's projects are there. What is mounted is the host's to open. */
function openWayTo(folder: string): void {
  const { dev } = statSync("/");
  for (let above = dirname(folder); above !== "/"; above = dirname(above)) {
    const found = statSync(above);
    if (found.dev !== dev || !isOurs(found) || found.mode & passage) continue;
    chmodSync(above, permissions(found) | passage);
  }
}

/**
 * Nobody here may give a file away, so the agent makes the folder itself. For that moment anybody may write where it
 * is to be; no command of the agent's runs yet.
 */
async function makeOwned(folder: string, agent: Identity, launcher: Launcher): Promise<void> {
  const parent = dirname(folder);
  const found = statSync(parent);
  if (isOurs(found)) chmodSync(parent, 0o1777);
  try {
    await execute(launcher, agent, [systemTool("mkdir"), "--", folder], {});
  } finally {
    if (isOurs(found)) chmodSync(parent, permissions(found));
  }
}

function isOurs({ uid }: Stats): boolean {
  return uid === process.getuid?.();
}

function permissions({ mode }: Stats): number {
  return mode & 0o7777;
}

/** Whatever the reason, the last line of what was said names it; the command itself would tell nobody anything. */
async function execute(
  launcher: Launcher,
  user: Identity,
  argv: readonly string[],
  env: Record<string, string>,
): Promise<void> {
  const { ended, stdout, stderr } = await launcher.startOurs(user, argv, env);
  stdout?.resume();
  const said = wordsOn(stderr);
  const { code, signal } = await ended;
  if (code === 0) return;
  const why = (await said).trim().split("\n").at(-1) || `${argv[0]} ended with ${signal ?? code}`;
  throw new RefusedError("sandbox_broken", `the sandbox could not be made ready for commands: ${why}`);
}

function wordsOn(stream: Readable | null): Promise<string> {
  return new Promise((resolve) => {
    let words = "";
    if (!stream) return resolve(words);
    stream.setEncoding("utf8").on("data", (text: string) => {
      words = (words + text).slice(-keptWords);
    });
    stream.once("close", () => resolve(words));
  });
}
