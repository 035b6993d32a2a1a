import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { commandPath } from "../packages/command-path.mjs";
import { run } from "../process/run.mjs";
import { inCheckout } from "./checkout.mjs";

/** The version that the worker image has, so that both modes show the same. */
const VERSION = /^ARG CLAUDE_VERSION=(\S+)$/m;

/**
 * A folder for PATH in which Claude Code is: the user's own, or one that npm puts into this checkout's cache. It is for
 * runs on the host, which the user has asked for.
 *
 * @param {(line: string) => void} say
 * @returns {Promise<string>}
 */
export async function ensureHostClaude(say) {
  const own = commandPath("claude");
  if (own) {
    say(own);
    return join(own, "..");
  }
  const version = VERSION.exec(readFileSync(inCheckout("ops", "docker", "worker.Dockerfile"), "utf8"))?.[1];
  const folder = inCheckout(".cache", "host-claude", String(version));
  const bin = join(folder, "bin");
  if (existsSync(join(bin, "claude"))) return bin;
  say(`npm installs Claude Code ${version} (about 250 MB) into .cache`);
  const name = "@anthropic-ai/claude-code";
  const words = ["install", "-g", "--prefix", folder, `--allow-scripts=${name}`, "--no-audit", "--no-fund"];
  const { code, stderr } = await run("npm", [...words, `${name}@${version}`]);
  if (code !== 0) throw new Error(`npm could not install Claude Code: ${stderr.trim().slice(-500)}`);
  return bin;
}
