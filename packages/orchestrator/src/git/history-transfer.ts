import type { GitOptions } from "@opentiger/sandbox";

/** A repository, as far as objects are read from it or written to it. */
export interface ObjectStore {
  run(args: readonly string[], options?: GitOptions): Promise<string>;
  stream(args: readonly string[], options?: GitOptions): AsyncGenerator<Buffer, void>;
}

/** Like `git fetch`: so few objects are stored one by one, since a pack for each time would pile up. */
const fewObjects = 100;

const headerBytes = 12;

/**
 * Copies the history of a commit from one repository to another, without that of the commits which the other has. It
 * streams; what is there already is no harm, and what was cut off leaves nothing that counts.
 */
export async function copyHistory(
  from: ObjectStore,
  to: ObjectStore,
  tip: string,
  without: readonly string[],
): Promise<void> {
  // It crosses a pipe: deltas are used where they exist and not searched for.
  const quick = ["--delta-base-offset", "--window=0", "--compression=1"];
  const wanted = [tip, ...without.map((oid) => `^${oid}`)].map((line) => `${line}\n`).join("");
  const pack = from.stream(["pack-objects", "--revs", "--thin", "--stdout", "--quiet", ...quick], {
    input: wanted,
  });
  try {
    const header = await readHeader(pack);
    const objects = header.readUInt32BE(8);
    if (objects === 0) return;
    const keep = objects < fewObjects ? ["unpack-objects", "-q"] : ["index-pack", "--stdin", "--fix-thin"];
    await to.run(keep, { input: joined(header, pack) });
  } finally {
    await pack.return();
  }
}

/** Those of the commits that a repository has. */
export async function presentCommits(store: ObjectStore, oids: readonly string[]): Promise<string[]> {
  if (oids.length === 0) return [];
  const input = oids.map((oid) => `${oid}\n`).join("");
  const said = await store.run(["cat-file", "--batch-check=%(objectname) %(objecttype)"], { input });
  return said.split("\n").flatMap((line) => {
    const [oid = "", type] = line.split(" ");
    return type === "commit" ? [oid] : [];
  });
}

async function readHeader(pack: AsyncGenerator<Buffer, void>): Promise<Buffer> {
  let start: Buffer = Buffer.alloc(0);
  while (start.length < headerBytes) {
    const step = await pack.next();
    // git says itself what was wrong when it ends so early; this is only for the type.
    if (step.done) throw new Error("git made no pack");
    start = Buffer.concat([start, step.value]);
  }
  return start;
}

async function* joined(start: Buffer, rest: AsyncGenerator<Buffer, void>): AsyncGenerator<Buffer, void> {
  yield start;
  yield* rest;
}
