import { realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { SandboxError } from "../errors.ts";
import { Folder } from "./folder.ts";
import type { SourcePath } from "./source-path.ts";

/** Where on the host a copy lands: below this folder, under this name; without a name its content goes in. */
export interface Landing {
  folder: Folder;
  name: string | undefined;
}

/** Finds it by the rules of `docker cp`. Links in `to` are followed: they are the user's own. */
export function findLanding(source: SourcePath, kind: "file" | "tree", to: string): Landing {
  const path = resolve(to);
  const there = statSync(path, { throwIfNoEntry: false });
  if (there?.isDirectory()) {
    return { folder: Folder.open(realpathSync(path)), name: source.contents ? undefined : source.name };
  }
  if (there && kind === "tree") throw inTheWay(`${to} is a file, and a folder is copied`);
  if (kind === "file" && to.endsWith("/")) throw noFolder(to);
  const parent = dirname(path);
  if (!statSync(parent, { throwIfNoEntry: false })?.isDirectory()) throw noFolder(parent);
  return { folder: Folder.open(realpathSync(parent)), name: basename(path) };
}

/**
 * Moves what was extracted to where it belongs. Everything is looked at before anything is moved: a file does
 * not replace a folder nor a folder a file, and a folder that is a link is not entered.
 */
export function land(staging: Folder, extracted: string, landing: Landing): void {
  if (landing.name === undefined) {
    const content = staging.child(extracted);
    try {
      for (const name of content.names()) checkRoom(content, name, landing.folder, name);
      for (const name of content.names()) settle(content, name, landing.folder, name);
    } finally {
      content.close();
    }
    return;
  }
  checkRoom(staging, extracted, landing.folder, landing.name);
  settle(staging, extracted, landing.folder, landing.name);
}

function checkRoom(from: Folder, name: string, to: Folder, newName: string): void {
  const comes = from.info(name);
  const lies = to.info(newName);
  if (!comes || !lies) return;
  if (comes.isDirectory() !== lies.isDirectory()) {
    throw inTheWay(`${to.path}/${newName} is ${kindOf(lies)}, and ${kindOf(comes)} is copied`);
  }
  if (comes.isDirectory()) eachBelow(from, name, to, newName, checkRoom);
}

function settle(from: Folder, name: string, to: Folder, newName: string): void {
  const isMerge = from.info(name)?.isDirectory() && to.info(newName) !== undefined;
  if (isMerge) eachBelow(from, name, to, newName, settle);
  else from.move(name, to, newName);
}

function eachBelow(from: Folder, name: string, to: Folder, newName: string, act: typeof settle): void {
  const source = from.child(name);
  try {
    const target = to.child(newName);
    try {
      for (const below of source.names()) act(source, below, target, below);
    } finally {
      target.close();
    }
  } finally {
    source.close();
  }
}

function kindOf(info: Stats): string {
  if (info.isSymbolicLink()) return "a link";
  return info.isDirectory() ? "a folder" : "a file";
}

function inTheWay(sentence: string): SandboxError {
  return new SandboxError("already_exists", sentence, { remedy: "name another place, or remove it first" });
}

function noFolder(path: string): SandboxError {
  return new SandboxError("not_found", `there is no folder ${path}`, { remedy: `mkdir -p ${path}` });
}
