import { constants } from "node:fs";
import {
  chmod,
  copyFile,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  rename,
  rm,
  stat,
  symlink,
} from "node:fs/promises";
import { join } from "node:path";
import { type PackageFiles, versionPattern } from "./package-files.ts";

/** linked: the same files under another name, where the file system can. copied: files of their own, for every user to read. */
export type InstallWay = "linked" | "copied";

/** What is only needed to compile programs against PostgreSQL. */
const unneeded = /^(?:pkgconfig|.*\.a)$/;

/**
 * PostgreSQL in a folder of ours: a server goes on running while `npm ci` replaces the package, and another user can
 * reach it. Returns the folder, which is either complete or not there, also after the machine lost its power; with the library links, whether or not install
 * scripts were run. The caller sees to it that nobody else does the same.
 */
export async function installFiles(from: PackageFiles, below: string, way: InstallWay): Promise<string> {
  const installed = join(below, from.version);
  if (await isThere(installed)) return installed;
  const unfinished = join(below, ".unfinished");
  await rm(unfinished, { recursive: true, force: true });
  await copyFolder(from.folder, unfinished, way);
  await linkLibraries(join(unfinished, "lib"), from);
  await syncToDisk(join(unfinished, "lib"));
  await rename(unfinished, installed);
  await syncToDisk(below);
  return installed;
}

/** Program files of other versions. Only where nothing runs from them. */
export async function removeOtherVersions(below: string, version: string): Promise<void> {
  const others = (await readdir(below)).filter((name) => versionPattern.test(name) && name !== version);
  for (const name of others) await rm(join(below, name), { recursive: true, force: true });
}

async function copyFolder(from: string, to: string, way: InstallWay): Promise<void> {
  await mkdir(to, { recursive: true });
  await chmod(to, 0o755);
  const entries = await readdir(from, { withFileTypes: true });
  const placed = entries.map(async (entry) => {
    if (unneeded.test(entry.name)) return;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyFolder(source, target, way);
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
    else await placeFile(source, target, way);
  });
  await Promise.all(placed);
  await syncToDisk(to);
}

async function placeFile(source: string, target: string, way: InstallWay): Promise<void> {
  if (way === "copied" || !(await linked(source, target))) {
    await copyFile(source, target, constants.COPYFILE_FICLONE);
    const { mode } = await stat(source);
    await chmod(target, (mode & 0o100) !== 0 ? 0o755 : 0o644);
  }
  // Also of a link: whoever unpacked the package a moment ago has perhaps not seen to it.
  await syncToDisk(target);
}

/** A name that is on the disk before its content would be a program of zeros after a crash, and taken for complete. */
async function syncToDisk(path: string): Promise<void> {
  const file = await open(path, "r");
  await file.sync().finally(() => file.close());
}

/** false on another file system, and where the kernel forbids links to files of others. */
async function linked(source: string, target: string): Promise<boolean> {
  try {
    await link(source, target);
    return true;
  } catch {
    return false;
  }
}

async function linkLibraries(lib: string, { libraryLinks }: PackageFiles): Promise<void> {
  for (const { name, target } of libraryLinks) {
    const path = join(lib, name);
    if (!(await isThere(path))) await symlink(target, path);
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch {
    return false;
  }
}
