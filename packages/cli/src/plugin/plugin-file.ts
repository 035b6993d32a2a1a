import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { SandboxError } from "@opentiger/sandbox";
import { pluginMark, pluginScript } from "./script.ts";

export interface Installation {
  path: string;
  change: "installed" | "updated" | "unchanged";
}

/** Where docker looks for this user's plugins. */
export function pluginPath(env: NodeJS.ProcessEnv): string {
  const config = env["DOCKER_CONFIG"] || join(env["HOME"] || homedir(), ".docker");
  return join(config, "cli-plugins", "docker-sandbox");
}

/** Puts the plugin there in one step. Somebody else's is replaced only by force. */
export function installPlugin(
  path: string,
  program: { node: string; bundles: string },
  options: { force?: true | undefined },
): Installation {
  const script = pluginScript(program);
  const present = presentFile(path);
  if (present.kind === "ours" && present.text === script) return { path, change: "unchanged" };
  if (present.kind === "foreign" && !options.force) throw taken(path);
  try {
    replace(path, script);
  } catch (error) {
    throw notWritable(path, error);
  }
  return { path, change: present.kind === "none" ? "installed" : "updated" };
}

/** Removes the plugin if it is ours. Says whether there was one. */
export function uninstallPlugin(path: string): boolean {
  const present = presentFile(path);
  if (present.kind === "none") return false;
  if (present.kind === "foreign") throw taken(path);
  rmSync(path);
  return true;
}

export function isOurPlugin(path: string): boolean {
  return presentFile(path).kind === "ours";
}

/** What docker would start now; old: ours, of another place or version. */
export function pluginState(
  path: string,
  program: { node: string; bundles: string },
): "none" | "foreign" | "current" | "old" {
  const present = presentFile(path);
  if (present.kind !== "ours") return present.kind;
  return present.text === pluginScript(program) ? "current" : "old";
}

type PresentFile = { kind: "none" } | { kind: "foreign" } | { kind: "ours"; text: string };

/** A link, a folder or an unreadable file is somebody else's: ours is always a plain file. */
function presentFile(path: string): PresentFile {
  const found = statIfPossible(path);
  if (!found) return { kind: "none" };
  if (!found.isFile()) return { kind: "foreign" };
  try {
    const text = readFileSync(path, "utf8");
    return text.split("\n", 2)[1]?.startsWith(pluginMark) ? { kind: "ours", text } : { kind: "foreign" };
  } catch {
    return { kind: "foreign" };
  }
}

/** Where one cannot even look, writing will say why. */
function statIfPossible(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

function replace(path: string, script: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = join(dirname(path), `.docker-sandbox.${process.pid}.tmp`);
  try {
    writeFileSync(temporary, script, { mode: 0o755 });
    chmodSync(temporary, 0o755);
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}

function taken(path: string): SandboxError {
  return new SandboxError("plugin_taken", `${path} is there already and is not openTiger's`, {
    remedy: "Look at it. To replace it: opentiger sandbox install-plugin --force",
  });
}

function notWritable(path: string, cause: unknown): unknown {
  if (!(cause instanceof Error) || !("code" in cause) || cause.code === "ENOSPC") return cause;
  return new SandboxError("internal", `the plugin cannot be written to ${path}: ${cause.message}`, {
    remedy: `Make ${dirname(path)} a folder that you can write, or set DOCKER_CONFIG to another one.`,
    cause,
  });
}
