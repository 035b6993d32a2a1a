import { checkedOid } from "./oid.ts";
import { memoryKib, type OwnGit } from "./own-git.ts";

export interface DiffOptions {
  /** Files, or folders with all that is in them. No globs. */
  paths?: readonly string[];
  maxBytes?: number;
  /** Of files that git takes for binary: that they differ, or how. */
  binaries?: "named" | "shown";
}

const defaultMostBytes = 16 * 1024 * 1024;

/** What fits the arguments of one command with room to spare. */
const longestArguments = 64 * 1024;

const asItIs = ["--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--full-index"];

/** A name beyond ASCII stands there as it is, and not as the numbers of its bytes. */
const plainNames = ["-c", "core.quotePath=false"];

/** The difference as a patch to be read, up to a number of bytes; cut at the end of a line where it is longer. */
export async function diffText(
  own: OwnGit,
  from: string,
  to: string,
  { paths, maxBytes = defaultMostBytes, binaries = "named" }: DiffOptions,
): Promise<{ text: string; cut: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for (const group of paths ? grouped(paths) : [[]]) {
    const commits = [checkedOid(from), checkedOid(to)];
    const how = binaries === "shown" ? ["--text", ...asItIs] : asItIs;
    const args = [...plainNames, "diff-tree", "-r", "-p", ...how, ...commits, "--", ...group];
    for await (const chunk of own.stream(args, { memoryKib })) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes)
        return { text: wholeLines(Buffer.concat(chunks).subarray(0, maxBytes)), cut: true };
    }
  }
  return { text: Buffer.concat(chunks).toString("utf8"), cut: false };
}

/** Every commit from the base to the tip as a mail that `git am` takes. */
export function patchOf(own: OwnGit, baseOid: string, tipOid: string): AsyncGenerator<Buffer, void> {
  const options = [
    "--stdout",
    "--binary",
    "--no-signature",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
  ];
  return own.stream(["format-patch", ...options, `${checkedOid(baseOid)}..${checkedOid(tipOid)}`], {
    memoryKib,
  });
}

function grouped(paths: readonly string[]): string[][] {
  const groups: string[][] = [];
  let left = 0;
  for (const path of paths) {
    left -= Buffer.byteLength(path) + 1;
    if (left < 0) {
      groups.push([]);
      left = longestArguments - Buffer.byteLength(path);
    }
    groups.at(-1)?.push(path);
  }
  return groups;
}

function wholeLines(bytes: Buffer): string {
  return bytes.toString("utf8", 0, bytes.lastIndexOf("\n") + 1);
}
