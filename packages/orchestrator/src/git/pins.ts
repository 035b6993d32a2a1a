import { randomBytes } from "node:crypto";
import { link, mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errno } from "@opentiger/schema";
import { OrchestratorError } from "../errors.ts";
import { scratchName } from "./bare-repository.ts";
import { checkedOid } from "./oid.ts";
import type { OwnGit } from "./own-git.ts";

/**
 * Refs of our own repository that keep objects. They are written as the files that they are, each by one rename: `git
 * update-ref` takes a lock first, and when it is killed at that moment the lock stays, and nobody can tell whether its
 * holder lives. Who is right when two write is decided in the database.
 */
export async function setPin(own: OwnGit, loop: string, name: string, oid: string): Promise<void> {
  await writeRef(own, pinName(loop, name), oid, (from, to) => rename(from, to));
}

/** Sets it unless it is there, and says what it is then. */
export async function setPinOnce(own: OwnGit, loop: string, name: string, oid: string): Promise<string> {
  try {
    await writeRef(own, pinName(loop, name), oid, (from, to) => link(from, to));
    return oid;
  } catch (error) {
    if (errno(error) !== "EEXIST") throw error;
    return (await readPin(own, loop, name)) ?? oid;
  }
}

export async function removePin(own: OwnGit, loop: string, name: string): Promise<void> {
  await rm(join(own.path, pinName(loop, name)), { force: true });
}

/** From the file that it is: nothing packs refs in this repository. */
export async function readPin(own: OwnGit, loop: string, name: string): Promise<string | undefined> {
  try {
    return checkedOid((await readFile(join(own.path, pinName(loop, name)), "utf8")).trim());
  } catch (error) {
    if (errno(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** All of a loop, by name. */
export async function readPins(own: OwnGit, loop: string): Promise<Map<string, string>> {
  const prefix = loopPrefix(loop);
  const listed = await own.run(["for-each-ref", "--format=%(objectname) %(refname)", prefix]);
  const lines = listed.split("\n").filter((line) => line !== "");
  return new Map(
    lines.map((line) => {
      const space = line.indexOf(" ");
      return [line.slice(space + 1 + prefix.length), line.slice(0, space)];
    }),
  );
}

/** What is pinned by any loop: complete histories that need not be copied again. */
export async function allPins(own: OwnGit): Promise<string[]> {
  const listed = await own.run([
    "for-each-ref",
    "--format=%(objectname)",
    "--sort=-creatordate",
    "refs/opentiger/",
  ]);
  return [...new Set(listed.split("\n").filter((oid) => oid !== ""))];
}

/** Also what a collecting that was killed has left of the loop's sandboxes. */
export async function removePins(own: OwnGit, loop: string): Promise<void> {
  await rm(join(own.path, loopPrefix(loop)), { recursive: true, force: true });
  const sandboxes = join(own.path, "refs/sandboxes");
  const names = await readdir(sandboxes).catch(() => []);
  for (const name of names.filter((each) => each.startsWith(`loop-${loop}-`))) {
    await rm(join(sandboxes, name), { recursive: true, force: true });
  }
}

function loopPrefix(loop: string): string {
  return `refs/opentiger/${checkedName(loop)}/`;
}

function pinName(loop: string, name: string): string {
  return loopPrefix(loop) + name.split("/").map(checkedName).join("/");
}

function checkedName(part: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(part)) return part;
  throw new OrchestratorError("internal", `${JSON.stringify(part)} cannot be a part of a pin's name`);
}

async function writeRef(
  own: OwnGit,
  name: string,
  oid: string,
  publish: (from: string, to: string) => Promise<void>,
): Promise<void> {
  const temporary = join(own.path, scratchName, `pin-${randomBytes(6).toString("hex")}`);
  const target = join(own.path, name);
  try {
    await writeDurably(temporary, `${checkedOid(oid)}\n`);
    await mkdir(dirname(target), { recursive: true });
    await publish(temporary, target);
  } finally {
    await rm(temporary, { force: true });
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
