import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SandboxError } from "../errors.ts";

/** A file of the build, at its path in the repository, so that `docker build .` sees the same one. */
export interface RecipeFile {
  readonly path: string;
  readonly mode: number;
  readonly content: Buffer;
}

export const dockerfilePath = "ops/docker/worker.Dockerfile";
export const debianBaseScriptPath = "ops/docker/debian-base.sh";
export const certificatesFolder = "ops/docker/ca";

/** What a build sends to the engine, apart from certificates. Modes are fixed: the engine's cache looks at them. */
export async function recipeFiles(root = repositoryRoot()): Promise<RecipeFile[]> {
  const read = async (path: string, mode: number) => ({
    path,
    mode,
    content: await readFile(join(root, path)),
  });
  return [
    await read(dockerfilePath, 0o644),
    await read("ops/docker/npm-tarball.sh", 0o755),
    await read("packages/sandbox/native/spawner.c", 0o644),
    await read(`${certificatesFolder}/.gitignore`, 0o644),
  ];
}

/** Equal exactly when the same things go into the build, whatever the order of a record's keys. */
export function recipeHash(files: readonly RecipeFile[], choices: Readonly<Record<string, unknown>>): string {
  const hash = createHash("sha256");
  for (const { path, mode, content } of files) {
    hash.update(`${path}\0${mode}\0${content.length}\0`).update(content);
  }
  hash.update(JSON.stringify(Object.entries(choices).sort(([a], [b]) => (a < b ? -1 : 1))));
  return hash.digest("hex").slice(0, 32);
}

/** The nearest folder above this file with the Dockerfile in it; true of the sources and of a bundle in the tree. */
export function repositoryRoot(from = import.meta.dirname): string {
  if (existsSync(join(from, dockerfilePath))) return from;
  const parent = dirname(from);
  if (parent !== from) return repositoryRoot(parent);
  throw new SandboxError("image_build_failed", `${dockerfilePath} is not part of this installation.`, {
    remedy: "Build from a clone of the repository, or set SANDBOX_DOCKER_IMAGE to an image that exists.",
  });
}
