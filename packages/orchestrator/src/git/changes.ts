import type { FileChange } from "./file-change.ts";
import { type ChangedText, newLineBytes } from "./new-line-bytes.ts";
import { objectContents, objectSizes } from "./objects.ts";
import { checkedOid } from "./oid.ts";
import { memoryKib, type OwnGit } from "./own-git.ts";
import { pathOf } from "./path-bytes.ts";
import { type RawChange, rawChanges } from "./raw-changes.ts";
import { records } from "./records.ts";

/** No file system takes a longer one. */
const longestLink = 4096;

/** Git LFS writes none that is shorter or longer. */
const pointerBytes = { least: 100, most: 1024 };

/** So many are looked into: whoever changes more small files or links than that has broken other rules. */
const mostSmallFiles = 10_000;

interface Lines {
  added: number;
  removed: number;
  binary: boolean;
}

/** What became of every file from one commit to another: a few processes, however many files there are. */
export async function changesBetween(own: OwnGit, from: string, to: string): Promise<FileChange[]> {
  const raw: RawChange[] = [];
  for await (const change of rawChanges(own, from, to)) raw.push(change);
  if (raw.length === 0) return [];
  const [lines, sizes] = await Promise.all([countLines(own, from, to), objectSizes(own, contentIds(raw))]);
  const links = raw
    .filter(({ newMode, newOid }) => newMode === "120000" && sizeOf(sizes, newOid) <= longestLink)
    .slice(0, mostSmallFiles);
  const [targets, pointers, newBytes] = await Promise.all([
    objectContents(own, oidsOf(links)),
    pointersAmong(own, raw, sizes),
    newLineBytes(own, changedTexts(raw, lines, sizes)),
  ]);
  const gone = new Map(raw.flatMap((each) => (each.newOid === null ? [[each.oldOid, each.path]] : [])));
  return raw.map((change) => {
    const { path, status, newMode, newOid } = change;
    const { added, removed, binary } = lines.get(path) ?? { added: 0, removed: 0, binary: false };
    const target = newMode === "120000" ? targets.get(newOid ?? "") : undefined;
    return {
      ...change,
      status: statuses[status] ?? "modified",
      oldPath: change.oldOid === null ? (gone.get(newOid) ?? null) : null,
      addedLines: added,
      removedLines: removed,
      binary,
      bytes: (status === "M" ? newBytes.get(newOid ?? "") : undefined) ?? sizeOf(sizes, newOid),
      linkTarget: target === undefined ? null : pathOf(target),
      isPointer: pointers.has(newOid ?? ""),
    };
  });
}

const statuses: Readonly<Record<string, FileChange["status"]>> = {
  A: "added",
  M: "modified",
  D: "deleted",
  T: "type",
};

/** Which of the new contents are pointers of Git LFS. */
async function pointersAmong(
  own: OwnGit,
  changes: readonly RawChange[],
  sizes: ReadonlyMap<string, number>,
): Promise<Set<string>> {
  const small = changes.filter(({ newMode, newOid }) => {
    const size = sizeOf(sizes, newOid);
    return newMode?.startsWith("100") && size >= pointerBytes.least && size <= pointerBytes.most;
  });
  const contents = await objectContents(own, oidsOf(small.slice(0, mostSmallFiles)));
  const isPointer = (content: Buffer): boolean =>
    /^version https:\/\/git-lfs\.github\.com\/spec\/v\d+\n/.test(content.toString("latin1"));
  return new Set([...contents].filter(([, content]) => isPointer(content)).map(([oid]) => oid));
}

function changedTexts(
  changes: readonly RawChange[],
  counted: ReadonlyMap<string, Lines>,
  sizes: ReadonlyMap<string, number>,
): ChangedText[] {
  return changes.flatMap(({ path, status, oldOid, newOid }) => {
    const lines = counted.get(path);
    if (status !== "M" || oldOid === null || newOid === null || !lines || lines.binary) return [];
    return [{ oldOid, newOid, lines: lines.added + lines.removed, bytes: sizeOf(sizes, newOid) }];
  });
}

/** A submodule's id names a commit of another repository. */
function contentIds(changes: readonly RawChange[]): string[] {
  return oidsOf(changes.filter(({ newMode }) => newMode !== "160000"));
}

function oidsOf(changes: readonly RawChange[]): string[] {
  return changes.flatMap(({ newOid }) => (newOid === null ? [] : [newOid]));
}

function sizeOf(sizes: ReadonlyMap<string, number>, oid: string | null): number {
  return sizes.get(oid ?? "") ?? 0;
}

/** `ADDED\tREMOVED\tPATH`, with dashes for what is binary. Attributes of the commits have no say in that. */
async function countLines(own: OwnGit, from: string, to: string): Promise<Map<string, Lines>> {
  const args = ["diff-tree", "-r", "-z", "--numstat", "--no-renames", "--no-ext-diff", "--no-textconv"];
  const counted = new Map<string, Lines>();
  for await (const record of records(
    own.stream([...args, checkedOid(from), checkedOid(to)], { memoryKib }),
  )) {
    const first = record.indexOf("\t");
    const second = record.indexOf("\t", first + 1);
    const [added, removed] = record.toString("latin1", 0, second).split("\t");
    const path = pathOf(record.subarray(second + 1));
    const before = counted.get(path);
    counted.set(path, {
      added: (before?.added ?? 0) + (Number(added) || 0),
      removed: (before?.removed ?? 0) + (Number(removed) || 0),
      binary: added === "-" || before?.binary === true,
    });
  }
  return counted;
}
