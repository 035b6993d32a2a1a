import { randomBytes } from "node:crypto";
import { appendFile, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { type ObjectFormat, openRepository } from "@opentiger/sandbox";
import { errno } from "@opentiger/schema";
import { OrchestratorError } from "../errors.ts";
import { isThere } from "./is-there.ts";
import { OwnGit } from "./own-git.ts";

/** Below our repository: what is being made, so that nothing half-done has a name that counts. */
export const scratchName = "scratch";

/**
 * Settings that hold whoever's git looks at it. Refs are single files always, since we write them as such; what comes
 * from an agent costs a bounded amount of memory; and what was written is on the disk before anybody is told of it.
 */
const settings = `
[core]
	logAllRefUpdates = false
	fsync = committed,loose-object
	bigFileThreshold = 16m
	packedGitWindowSize = 16m
	packedGitLimit = 256m
[gc]
	auto = 0
	packRefs = false
[maintenance]
	auto = false
[merge]
	directoryRenames = false
`;

/**
 * The host's own repository for one of the user's, made where it is missing: whole or not at all, also when we are
 * killed on the way and when many make it at once.
 */
export async function bareRepository(
  folder: string,
  repository: { id: string; path: string },
  signal: AbortSignal | undefined,
): Promise<OwnGit> {
  if (!/^[\w-]+$/.test(repository.id)) throw new OrchestratorError("internal", "a repository has an odd id");
  const path = join(folder, "repositories", `${repository.id}.git`);
  await checkVersion(folder, signal);
  if (!(await isThere(path))) await make(path, repository.path, signal);
  return new OwnGit(path, signal);
}

async function make(path: string, userPath: string, signal: AbortSignal | undefined): Promise<void> {
  const { format } = await openRepository(userPath, signal);
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  await mkdir(temporary, { recursive: true, mode: 0o700 });
  try {
    await initialise(new OwnGit(temporary, signal), format);
    await rename(temporary, path);
  } catch (error) {
    // Somebody else was faster, and theirs is as good.
    if (errno(error) !== "ENOTEMPTY" && errno(error) !== "EEXIST") throw error;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function initialise(own: OwnGit, format: ObjectFormat): Promise<void> {
  // HEAD leads to a branch that there will never be.
  const args = ["init", "--quiet", "--bare", "--template=", "--initial-branch=none"];
  await own.run([...args, `--object-format=${format}`], { env: { GIT_DEFAULT_REF_FORMAT: "files" } });
  await appendFile(join(own.path, "config"), settings);
  await mkdir(join(own.path, scratchName), { mode: 0o700 });
}

/** `git merge-tree --write-tree` came with it. */
const oldest = { major: 2, minor: 38 };

let versionIsGood = false;

async function checkVersion(folder: string, signal: AbortSignal | undefined): Promise<void> {
  if (versionIsGood) return;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const said = (await new OwnGit(folder, signal).run(["version"])).trim();
  const [, major = "0", minor = "0"] = /(\d+)\.(\d+)/.exec(said) ?? [];
  versionIsGood =
    Number(major) > oldest.major || (Number(major) === oldest.major && Number(minor) >= oldest.minor);
  if (versionIsGood) return;
  throw new OrchestratorError(
    "unsupported",
    `this is ${said}, and loops need ${oldest.major}.${oldest.minor}`,
    {
      remedy: "install a newer git; on Ubuntu: add-apt-repository ppa:git-core/ppa && apt-get install git",
    },
  );
}
