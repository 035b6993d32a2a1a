import type { Sandbox } from "@opentiger/sandbox";
import { memoryFolder, runInside } from "./inside.ts";

/**
 * Puts Codex's login where Codex looks for it: in memory, with a link in its place. What Codex renews in there stays
 * until the vault has a newer one; a file that is no link of ours is somebody's login, and stays too.
 */
export async function putCodexLogin(
  sandbox: Pick<Sandbox, "name" | "exec">,
  content: string,
  updatedAt: string,
): Promise<void> {
  const kept = await runInside(sandbox, 'head -c 99 "$1.from" 2>/dev/null || :', [file]);
  if (kept !== updatedAt) await runInside(sandbox, put, [file, updatedAt], content);
}

const file = `${memoryFolder}/codex-login/auth.json`;

const put = `mkdir -p "$(dirname "$1")" "$HOME/.codex"
cat > "$1.new"
mv -f "$1.new" "$1"
own="$HOME/.codex/auth.json"
if [ -L "$own" ] || [ ! -e "$own" ]; then ln -sfn "$1" "$own"; fi
printf %s "$2" > "$1.from"
`;
