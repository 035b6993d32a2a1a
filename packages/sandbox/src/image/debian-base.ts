import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type Docker from "dockerode";
import { SandboxError } from "../errors.ts";
import { BuildLog } from "./failure.ts";
import { findImage, imageLabels } from "./labels.ts";
import { type BuildEvent, engineMessages } from "./progress.ts";
import { debianBaseScriptPath, recipeHash, repositoryRoot } from "./recipe.ts";

const baseName = { repo: "opentiger/base", tag: "bookworm" };
export const debianBaseImage = `${baseName.repo}:${baseName.tag}`;

export interface BaseOptions {
  readonly docker: Docker;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: (event: BuildEvent) => void;
  /** Make it even if it is there: packages may be newer now. */
  readonly fresh: boolean;
}

/** The base image from Debian's packages, made unless the same is there. Streamed: no file, nothing left behind. */
export async function ensureDebianBase(options: BaseOptions): Promise<{ image: string; recipe: string }> {
  const script = join(repositoryRoot(), debianBaseScriptPath);
  const file = { path: debianBaseScriptPath, mode: 0o755, content: await readFile(script) };
  const recipe = recipeHash([file], {});
  const present = await findImage(options.docker, debianBaseImage);
  if (options.fresh || present?.labels[imageLabels.recipe] !== recipe) {
    requireDebootstrap();
    await makeBase(script, recipe, options);
  }
  return { image: debianBaseImage, recipe };
}

function requireDebootstrap(): void {
  if (process.getuid?.() !== 0) {
    throw new SandboxError("image_build_failed", "Making a base from Debian packages needs root.", {
      remedy: "Run it with sudo, or leave out --base debian where a registry is reachable.",
    });
  }
  const folders = ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"];
  if (!folders.some((folder) => isExecutable(join(folder, "debootstrap")))) {
    throw new SandboxError("image_build_failed", "Making a base from Debian packages needs debootstrap.", {
      remedy: "apt-get install debootstrap debian-archive-keyring",
    });
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function makeBase(script: string, recipe: string, options: BaseOptions): Promise<void> {
  const { docker, signal, onProgress } = options;
  const log = new BuildLog();
  const report = (event: BuildEvent) => {
    log.add(event);
    onProgress(event);
  };
  signal?.throwIfAborted();
  report({ kind: "step", step: 1, steps: 1, text: `debootstrap → ${debianBaseImage}` });
  // A process group of its own, so that stopping it reaches the programs that debootstrap runs.
  const child = spawn("sh", [script], { stdio: ["ignore", "pipe", "pipe"], detached: true });
  const exit = exitCode(child);
  const stop = () => killGroup(child);
  signal?.addEventListener("abort", stop, { once: true });
  try {
    createInterface({ input: child.stderr }).on("line", (text) => report({ kind: "output", text }));
    const id = await importTar(child.stdout, recipe, options, log);
    await nameWhenWhole(docker.getImage(id), await exit, log);
  } finally {
    signal?.removeEventListener("abort", stop);
    stop();
    await exit;
  }
}

/** null when it could not be started or was killed. */
function exitCode(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    child.once("error", () => resolve(null));
    child.once("close", resolve);
  });
}

async function importTar(
  tar: Readable,
  recipe: string,
  options: BaseOptions,
  log: BuildLog,
): Promise<string> {
  const changes = [`LABEL ${imageLabels.recipe}=${recipe}`];
  const { docker, signal } = options;
  const answer = await docker.importImage(tar, { changes, ...(signal ? { abortSignal: signal } : {}) });
  let id = "";
  for await (const message of engineMessages(answer)) {
    if (message.kind === "failed") throw log.failure(debianBaseImage, message.text);
    if (message.kind === "pull" && message.status.startsWith("sha256:")) id = message.status;
  }
  return id;
}

/** The engine takes what came before the end for the whole. So the name is given only after debootstrap's own yes. */
async function nameWhenWhole(image: Docker.Image, code: number | null, log: BuildLog): Promise<void> {
  if (code === 0) {
    await image.tag(baseName);
    return;
  }
  await image.remove({ force: true });
  throw log.failure(debianBaseImage, `debootstrap ended with status ${String(code)}`);
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // It ended by itself in this very moment.
  }
}
