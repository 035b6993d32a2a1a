import { checkedOid } from "./oid.ts";
import { memoryKib, type OwnGit } from "./own-git.ts";

/** What is asked of one file that was there before and is there still. */
export interface ChangedText {
  oldOid: string;
  newOid: string;
  /** Added and removed. */
  lines: number;
  /** Of the new content. */
  bytes: number;
}

/**
 * Of a file that is smaller all bytes count as new. That is too many, but by so little that it is not worth a process of
 * git's to know it better.
 */
const largeBytes = 100_000;

/** Whoever changes more lines of one file than that has not made a small change to it. */
const mostLines = 20_000;

/** Each is a process of its own; of files beyond that, each counts as a whole. */
const mostLarge = 50;

/**
 * How many bytes the new lines have in each large text of which little changed, by the id of its new content: one line in
 * a lock file of megabytes is a small change.
 */
export async function newLineBytes(own: OwnGit, texts: readonly ChangedText[]): Promise<Map<string, number>> {
  const large = texts.filter(({ bytes, lines }) => bytes > largeBytes && lines <= mostLines);
  const counted = new Map<string, number>();
  for (const text of large.slice(0, mostLarge)) {
    const bytes = await countNew(own, text);
    // The same content may have come of two others.
    counted.set(text.newOid, Math.max(bytes, counted.get(text.newOid) ?? 0));
  }
  return counted;
}

/** Behind the head of the patch, what begins with a `+` is a new line; the sign stands for the end of the line. */
async function countNew(own: OwnGit, { oldOid, newOid }: ChangedText): Promise<number> {
  const how = ["--unified=0", "--no-ext-diff", "--no-textconv", "--no-color"];
  const chunks: Buffer[] = [];
  for await (const chunk of own.stream(["diff", ...how, checkedOid(oldOid), checkedOid(newOid)], {
    memoryKib,
  }))
    chunks.push(chunk);
  const patch = Buffer.concat(chunks).toString("latin1");
  const lines = patch.slice(patch.indexOf("\n@@ ")).split("\n");
  return lines.reduce((sum, line) => sum + (line.startsWith("+") ? line.length : 0), 0);
}
