import { collect, type Execution, type Sandbox, SandboxError } from "@opentiger/sandbox";
import type { LaunchPlace, SessionKeeping } from "../driver.ts";

/** Far beyond any conversation with a model; a larger one is not kept. */
const largest = 128 * 1024 * 1024;

/** For a copy of that size on a busy machine. */
const copyTimeoutMs = 120_000;

/** A status that neither test nor cat gives. */
const nothingStatus = 41;

/** A conversation is one file, in a folder that is called after the working directory. */
const file = `"\${CLAUDE_CONFIG_DIR:-$HOME/.claude}/projects/$1/$2.jsonl"`;
const small = `[ "$(wc -c < "$file")" -lt ${largest} ]`;
const saveScript = `file=${file}; { [ -f "$file" ] && ${small}; } || exit ${nothingStatus}; exec cat -- "$file"`;
const restoreScript = `umask 077; file=${file}; mkdir -p "\${file%/*}" && cat > "$file"`;

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

export const session: SessionKeeping = {
  /** While Claude Code writes, its last line may be half of one: that is left out. */
  async save(sandbox, place, id) {
    if (!uuid.test(id)) return undefined;
    const execution = await inside(sandbox, place, saveScript, id);
    const { exit, stdout, stderr } = await collect(execution, 2 * largest);
    if (exit.code === nothingStatus) return undefined;
    if (exit.code !== 0) throw failed("reading", stderr);
    const whole = stdout.subarray(0, stdout.lastIndexOf("\n") + 1);
    return hasWords(whole) ? whole : undefined;
  },

  async restore(sandbox, place, id, kept) {
    if (!uuid.test(id)) throw new SandboxError("internal", `${id} is not a conversation of Claude Code's`);
    const execution = await inside(sandbox, place, restoreScript, id, "stdin");
    execution.stdin.on("error", () => {});
    execution.stdin.end(kept);
    const { exit, stderr } = await collect(execution);
    if (exit.code !== 0) throw failed("writing", stderr);
  },
};

/** How Claude Code calls the folder for what it keeps of a working directory. */
export function projectFolder(cwd: string): string {
  const path = cwd.normalize("NFC");
  const name = path.replaceAll(/[^a-zA-Z0-9]/g, "-");
  if (name.length <= longestName) return name;
  let hash = 0;
  for (let at = 0; at < path.length; at += 1) hash = ((hash << 5) - hash + path.charCodeAt(at)) | 0;
  return `${name.slice(0, longestName)}-${Math.abs(hash).toString(36)}`;
}

const longestName = 200;

/** It writes down that a prompt came before it takes it; one that was killed in between cannot be resumed. */
function hasWords(kept: Buffer): boolean {
  return kept.includes('"type":"user"');
}

function inside(
  sandbox: Sandbox,
  { cwd, env }: LaunchPlace,
  script: string,
  id: string,
  stdin: "stdin" | "no stdin" = "no stdin",
): Promise<Execution> {
  return sandbox.exec(["sh", "-c", script, "sh", projectFolder(cwd), id], {
    env: { ...env },
    stdin: stdin === "stdin",
    timeoutMs: copyTimeoutMs,
  });
}

function failed(doing: string, stderr: Buffer): SandboxError {
  const said = stderr.toString("utf8").slice(-500).trim();
  return new SandboxError(
    "sandbox_broken",
    `${doing} Claude Code's conversation failed in the sandbox: ${said}`,
    {
      remedy: "look at the sandbox's disk and at who owns ~/.claude",
    },
  );
}
