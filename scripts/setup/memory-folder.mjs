import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmdirSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../process/run.mjs";
import { CHECKOUT } from "./checkout.mjs";

const GIB = 1024 ** 3;

/** More than the tests ever have there at a time. It is taken from the memory only as it is used. */
const SIZE_GIB = 6;

/** So much has to be free: the tests themselves and their containers need some too. */
const FREE_GIB = 12;

/** The path is short, because sockets lie below it and have no room for more than 107 bytes. */
const FOLDER = join(tmpdir(), `ot${createHash("sha256").update(CHECKOUT).digest("hex").slice(0, 4)}`);

/**
 * A folder in memory for what tests write: on a disk a good part of their time is the flushing of small files. undefined,
 * and the reason is said, where it cannot be had: they use the usual one then.
 *
 * @param {(line: string) => void} say
 * @returns {Promise<{folder: string, remove: () => Promise<void>} | undefined>}
 */
export async function makeMemoryFolder(say) {
  const reason = await whyNot();
  say(
    reason
      ? `on the disk, in ${tmpdir()}: ${reason}`
      : `in memory, at ${FOLDER}, ${SIZE_GIB} GiB at the most`,
  );
  return reason ? undefined : { folder: FOLDER, remove };
}

/** Why there is none; undefined when there is. */
async function whyNot() {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "only root can mount another";
  if (freemem() < FREE_GIB * GIB) return `less than ${FREE_GIB} GiB of memory are free`;
  await remove();
  mkdirSync(FOLDER, { recursive: true });
  const options = `size=${SIZE_GIB}g,mode=1777`;
  const { code, stderr } = await run("mount", ["-t", "tmpfs", "-o", options, "opentiger-tests", FOLDER]);
  return code === 0 ? undefined : stderr.trim();
}

/** Also what a run that was killed has left; what still runs in it keeps it until it ends. */
async function remove() {
  if (isMounted()) await run("umount", ["--lazy", FOLDER]);
  try {
    rmdirSync(FOLDER);
  } catch {
    // It is not there, or it is somebody else's.
  }
}

function isMounted() {
  return readFileSync("/proc/self/mounts", "utf8")
    .split("\n")
    .some((line) => line.split(" ")[1] === FOLDER);
}
