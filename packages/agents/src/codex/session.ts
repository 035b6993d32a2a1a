import { collect, type Execution, type Sandbox, SandboxError } from "@opentiger/sandbox";
import { jsonOf, noTokens, type TokenCount } from "@opentiger/schema";
import { z } from "zod";
import type { LaunchPlace, SessionKeeping } from "../driver.ts";
import { codexUsage } from "./events.ts";
import { tokensOf } from "./tokens.ts";

/** Far beyond any conversation with a model; a larger one is not kept. */
const largest = 128 * 1024 * 1024;

/** For a copy of that size on a busy machine. */
const copyTimeoutMs = 120_000;

/** A conversation is one file, which Codex finds by the id in its name wherever it is below this folder. */
const folder = `"\${CODEX_HOME:-$HOME/.codex}/sessions"`;

/** A status that neither find nor cat gives. */
const nothingStatus = 41;

const find = `find ${folder} -type f -name "rollout-*-$1.jsonl" -size -${largest}c 2>/dev/null`;
const saveScript = `file=$(${find} | tail -n 1); [ -n "$file" ] || exit ${nothingStatus}; exec cat -- "$file"`;
const restoreScript = `umask 077; path=${folder}/$1; mkdir -p "\${path%/*}" && cat > "$path"`;

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

export const session: SessionKeeping = {
  /** While Codex writes its last line may be half of one: that is left out. */
  async save(sandbox, place, id) {
    if (!uuid.test(id)) return undefined;
    const execution = await inside(sandbox, place, [saveScript, id], "no stdin");
    const { exit, stdout, stderr } = await collect(execution, 2 * largest);
    if (exit.code === nothingStatus) return undefined;
    if (exit.code !== 0) throw failed("reading", stderr);
    return stdout.subarray(0, stdout.lastIndexOf("\n") + 1);
  },

  async restore(sandbox, place, id, kept) {
    const execution = await inside(sandbox, place, [restoreScript, placeFor(id, kept)], "stdin");
    execution.stdin.on("error", () => {});
    execution.stdin.end(kept);
    const { exit, stderr } = await collect(execution);
    if (exit.code !== 0) throw failed("writing", stderr);
  },

  used: (kept) => lastCount(kept),
};

function inside(
  sandbox: Sandbox,
  { env }: LaunchPlace,
  [script, argument]: readonly [string, string],
  stdin: "stdin" | "no stdin",
): Promise<Execution> {
  return sandbox.exec(["sh", "-c", script, "sh", argument], {
    env: { ...env },
    stdin: stdin === "stdin",
    timeoutMs: copyTimeoutMs,
  });
}

const firstLine = z.object({
  type: z.literal("session_meta"),
  payload: z.object({ id: z.string(), timestamp: z.iso.datetime() }),
});

/** Below the folder, where Codex itself would have put it: by the day it began. */
function placeFor(id: string, kept: Buffer): string {
  const end = kept.indexOf("\n");
  const meta = firstLine.safeParse(jsonOf(kept.toString("utf8", 0, end === -1 ? kept.length : end))).data
    ?.payload;
  if (!uuid.test(id) || meta?.id !== id)
    throw new SandboxError("internal", `what is kept of ${id} is not a conversation of Codex's`);
  const [day = "", time = ""] = meta.timestamp.slice(0, 19).split("T");
  return `${day.replaceAll("-", "/")}/rollout-${day}T${time.replaceAll(":", "-")}-${id}.jsonl`;
}

const countLine = z.object({
  payload: z.object({ type: z.literal("token_count"), info: z.object({ total_token_usage: codexUsage }) }),
});

/** After each answer of the model Codex writes down the sum so far. */
function lastCount(kept: Buffer): TokenCount | undefined {
  for (
    let at = kept.lastIndexOf('"token_count"');
    at !== -1;
    at = at === 0 ? -1 : kept.lastIndexOf('"token_count"', at - 1)
  ) {
    const start = kept.lastIndexOf("\n", at) + 1;
    const end = kept.indexOf("\n", at);
    const line = countLine.safeParse(
      jsonOf(kept.toString("utf8", start, end === -1 ? kept.length : end)),
    ).data;
    if (line) return tokensOf(line.payload.info.total_token_usage);
  }
  return noTokens;
}

function failed(doing: string, stderr: Buffer): SandboxError {
  const said = stderr.toString("utf8").slice(-500).trim();
  return new SandboxError("sandbox_broken", `${doing} Codex's conversation failed in the sandbox: ${said}`, {
    remedy: "look at the sandbox's disk and at who owns ~/.codex",
  });
}
