import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type CreateOptions, defaultHome, type Sandbox } from "@opentiger/sandbox";
import type { FolderMount } from "@opentiger/schema";
import { memoryFolder, runInside } from "./inside.ts";

const home = "/home/worker";

/** An agent's login on the host, and how a sandbox has the use of it although it may neither read nor write there. */
const logins = [
  {
    agent: "claude",
    folders: [
      { override: "CLAUDE_AUTH_DIR", below: ".claude" },
      { override: "CLAUDE_CONFIG_DIR", below: ".config/claude" },
    ],
    credential: ".credentials.json",
    variable: "CLAUDE_CONFIG_DIR",
    copied: ["settings.json", "CLAUDE.md"],
    linked: ["agents", "commands", "skills"],
    lasting: "projects",
  },
  {
    agent: "codex",
    folders: [{ override: "CODEX_AUTH_DIR", below: ".codex" }],
    credential: "auth.json",
    variable: "CODEX_HOME",
    copied: ["config.toml", "AGENTS.md"],
    linked: ["prompts", "skills"],
    lasting: "sessions",
  },
] as const;

type Login = (typeof logins)[number];

/** What a sandbox is to be made with: the folders there are, and where its commands keep what they write. */
export function loginMounts(env: NodeJS.ProcessEnv): Required<Pick<CreateOptions, "mounts" | "env">> {
  const mounts: FolderMount[] = [];
  const variables: Record<string, string> = {};
  for (const { agent, folders, variable } of logins) {
    for (const { override, below } of folders) {
      const source = env[override] || join(defaultHome(env), below);
      if (!existsSync(source)) continue;
      mounts.push({ source, target: join(home, below) });
      variables[variable] = writableFolder(agent);
    }
  }
  return { mounts, env: variables };
}

/** Where an agent's login lies in the folders that would be mounted. */
export function loginFiles(agent: string, env: NodeJS.ProcessEnv): string[] {
  const login = logins.find((each) => each.agent === agent);
  return (login?.folders ?? []).map(({ override, below }) =>
    join(env[override] || join(defaultHome(env), below), login?.credential ?? ""),
  );
}

/**
 * Gives the agents of a sandbox a folder of their own, in memory, with a copy of the login that the user can read and
 * the agent perhaps not. The host's files are read and nothing else. Returns the agents that have a login.
 */
export async function seedLogins(
  sandbox: Pick<Sandbox, "name" | "exec">,
  mounts: readonly FolderMount[],
): Promise<string[]> {
  const seeded: string[] = [];
  for (const login of logins) {
    const found = login.folders.flatMap(({ below }) =>
      mounts.filter(({ target }) => target === join(home, below)),
    );
    const mount = found.find(({ source }) => existsSync(join(source, login.credential)));
    if (!mount) continue;
    await seed(sandbox, login, mount);
    seeded.push(login.agent);
  }
  return seeded;
}

async function seed(
  sandbox: Pick<Sandbox, "name" | "exec">,
  { agent, credential, copied, linked, lasting }: Login,
  { source, target }: FolderMount,
): Promise<void> {
  const path = join(source, credential);
  const folder = writableFolder(agent);
  // A login that was renewed on the host is another one; what the agent renewed inside stays until then.
  const { mtimeMs, size } = statSync(path);
  const stamp = `${mtimeMs} ${size}`;
  const kept = await runInside(sandbox, 'head -c 99 "$1/.from" 2>/dev/null || :', [folder]);
  if (kept === stamp) return;
  const words = [folder, target, credential, lasting, stamp, copied.join(" "), linked.join(" ")];
  await runInside(sandbox, fill, words, readFileSync(path, "utf8"));
}

function writableFolder(agent: string): string {
  return `${memoryFolder}/${agent}`;
}

/** Conversations are long and are wanted after a restart: they lie on the sandbox's disk, and hold no login. */
const fill = `mkdir -p "$1"
cat > "$1/$3.new"
mv -f "$1/$3.new" "$1/$3"
lasting="$HOME/.local/share/opentiger/$(basename "$1")-$4"
mkdir -p "$lasting"
[ -e "$1/$4" ] || ln -s "$lasting" "$1/$4"
for name in $6; do [ -e "$1/$name" ] || [ ! -r "$2/$name" ] || cp "$2/$name" "$1/$name"; done
for name in $7; do [ -e "$1/$name" ] || [ ! -r "$2/$name" ] || ln -s "$2/$name" "$1/$name"; done
printf %s "$5" > "$1/.from"
`;
