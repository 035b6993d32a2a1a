import type { AgentTask, LaunchFile, LaunchPlace } from "../driver.ts";

const guardFile = "opencode-guard.cjs";

/** What an OpenCode that does not load the guard finds as its configuration: it says so, and ends. */
const notLoaded = "openTiger's guard was not loaded by this version of OpenCode";

/**
 * Of this run alone: runs that make or change one at the same time fail ("database is locked"), and on the host the
 * user's own conversations are left alone.
 */
export const databaseFile = "opencode.db";

export interface Guarded {
  projectSettings: AgentTask["projectSettings"];
  config: Readonly<Record<string, unknown>>;
}

/**
 * How OpenCode is started for us, whatever it is started for. A part of 1.18 reads `opencode.json` and `.opencode` of the
 * workspace although it is told by OPENCODE_DISABLE_PROJECT_CONFIG not to: it runs the plugins there and clones what the
 * file names. So a small file of ours is loaded before OpenCode itself, into the same process, and hides them from it.
 */
export function guarded(
  { folder }: LaunchPlace,
  { projectSettings, config }: Guarded,
): { env: Record<string, string>; file: LaunchFile } {
  return {
    env: {
      ...quiet,
      ...settingsSwitches[projectSettings],
      OPENCODE_DB: `${folder}/${databaseFile}`,
      // It unpacks a library of 5 MB at each start, and leaves it behind when it is killed.
      BUN_TMPDIR: folder,
      BUN_INSPECT_PRELOAD: `${folder}/${guardFile}`,
      OPENCODE_CONFIG_CONTENT: notLoaded,
    },
    file: { path: guardFile, content: guardText(projectSettings, configText(config)) },
  };
}

/** Nothing is fetched, looked up or watched that a run does not need. */
const quiet = {
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_MODELS_FETCH: "1",
  OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  OPENCODE_EXPERIMENTAL_DISABLE_FILEWATCHER: "1",
};

/** CLAUDE.md comes from us in any case; `.claude/skills` and `.agents/skills` are settings like any other. */
const settingsSwitches: Readonly<Record<AgentTask["projectSettings"], Record<string, string>>> = {
  ignored: {
    OPENCODE_DISABLE_PROJECT_CONFIG: "1",
    OPENCODE_DISABLE_CLAUDE_CODE: "1",
    OPENCODE_DISABLE_EXTERNAL_SKILLS: "1",
    OPENCODE_PURE: "1",
  },
  allowed: { OPENCODE_DISABLE_CLAUDE_CODE_PROMPT: "1" },
};

/** OpenCode puts the content of files and variables where a configuration names them in braces; ours names none. */
function configText(config: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(config).replaceAll(/\{(?=(?:file|env):)/g, "\\u007b");
}

function guardText(projectSettings: AgentTask["projectSettings"], config: string): string {
  return [
    `process.env.OPENCODE_CONFIG_CONTENT = ${JSON.stringify(config)};`,
    common,
    ...(projectSettings === "ignored" ? [hiding] : []),
  ].join("\n");
}

/**
 * The preload is for OpenCode alone, not for what its tools start. What it prints is written before it goes on: at its
 * end it does not wait for a slow reader, and its last words would be lost.
 */
const common = `
delete process.env.BUN_INSPECT_PRELOAD;
delete process.env.BUN_TMPDIR;
const fs = require("node:fs");
process.stdout.write = (chunk, encoding, done) => {
  const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
  for (let at = 0; at < bytes.length; ) {
    try {
      at += fs.writeSync(1, bytes, at);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
      Bun.sleepSync(2);
    }
  }
  const told = typeof encoding === "function" ? encoding : done;
  if (told) queueMicrotask(told);
  return true;
};
`;

/**
 * OpenCode looks whether there are settings before it reads them, and whether it may write to the folder of the user's
 * own before it installs packages for plugins there: to both the answer is no. The files themselves can be read and
 * changed by its tools.
 */
const hiding = `
const { homedir } = require("node:os");
const { basename, dirname, join } = require("node:path");
const home = homedir();
const config = join(process.env.XDG_CONFIG_HOME || join(home, ".config"), "opencode");
const settings = new Set([".opencode", "opencode.json", "opencode.jsonc"]);
const { access } = fs;
fs.access = (file, ...rest) => {
  const path = String(file);
  const users = [home, config].includes(dirname(path));
  const hidden = settings.has(basename(path)) && !users;
  const fixed = rest[0] === fs.constants.W_OK && [config, join(home, ".opencode")].includes(path);
  if (!hidden && !fixed) return access(file, ...rest);
  const code = hidden ? "ENOENT" : "EACCES";
  queueMicrotask(() => rest.at(-1)(Object.assign(new Error(code), { code, syscall: "access", path })));
};
`;
