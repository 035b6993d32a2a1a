import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { opencodeLogins } from "@opentiger/sandboxd";
import { jsonOf, type LoginAgent } from "@opentiger/schema";
import { z } from "zod";
import { askCli } from "./cli-process.ts";
import type { Look } from "./look.ts";

/** What each CLI is called, and what it takes to have it. */
export const hostClis: Readonly<Record<LoginAgent, { binary: string; install: string }>> = {
  claude: { binary: "claude", install: "npm install -g @anthropic-ai/claude-code" },
  codex: { binary: "codex", install: "npm install -g @openai/codex" },
  opencode: { binary: "opencode", install: "npm install -g opencode-ai" },
};

/** A CLI is not another one while its file is the same. */
const versions = new Map<string, string>();
const mostVersions = 64;

/** Where a shell would find it; undefined where it is not. */
export async function findCli(agent: LoginAgent, { env }: Pick<Look, "env">): Promise<string | undefined> {
  const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  for (const folder of folders) {
    const path = join(folder, hostClis[agent].binary);
    if (await isProgram(path)) return path;
  }
  return undefined;
}

/** undefined where it does not start. */
export async function versionOf(path: string, look: Look): Promise<string | undefined> {
  const { mtimeMs, size, ino } = await stat(path);
  const key = `${path} ${mtimeMs} ${size} ${ino}`;
  const known = versions.get(key);
  if (known !== undefined) return known;
  const answer = await askCli([path, "--version"], withoutErrands(look)).catch((error: unknown) => {
    look.signal.throwIfAborted();
    if (isSystemError(error)) return undefined;
    throw error;
  });
  const version = answer?.stdout.split("\n")[0]?.trim().slice(0, 200);
  if (answer?.code !== 0 || !version) return undefined;
  if (versions.size >= mostVersions) versions.clear();
  versions.set(key, version);
  return version;
}

/** What a CLI says of its own login. It proves presence only: a garbage token is a login to all of them. */
export type OwnWord = { present: true; method: string } | { present: false };

export async function ownWord(agent: LoginAgent, path: string, look: Look): Promise<OwnWord> {
  if (agent === "claude") return claudeWord(await askCli([path, "auth", "status"], withoutErrands(look)));
  if (agent === "codex") return codexWord(await askCli([path, "login", "status"], withoutErrands(look)));
  // `opencode auth list` is made for eyes, and takes seconds; its file says the same.
  const [api] = opencodeLogins(look.env);
  return api === undefined ? { present: false } : { present: true, method: `opencode ${api}` };
}

const claudeStatus = z.object({ loggedIn: z.boolean(), authMethod: z.string().max(100) });

function claudeWord({ stdout }: { stdout: string }): OwnWord {
  const read = claudeStatus.safeParse(jsonOf(stdout));
  return read.success && read.data.loggedIn
    ? { present: true, method: read.data.authMethod }
    : { present: false };
}

/** It says it on stderr, and its exit code is the answer. */
function codexWord({
  code,
  stdout,
  stderr,
}: {
  code: number | null;
  stdout: string;
  stderr: string;
}): OwnWord {
  if (code !== 0) return { present: false };
  const using = /^Logged in using (.{1,60}?)(?: - .*)?$/m.exec(`${stderr}\n${stdout}`)?.[1];
  return { present: true, method: using ?? "codex login" };
}

/** No updates, no telemetry: only the question. */
function withoutErrands({ env, signal }: Look) {
  const quiet = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1" };
  return { env: { ...env, ...quiet }, signal };
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}
