import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Header, type Pack, pack } from "tar-stream";
import type { ArchiveEntry, Chunks } from "./archive-entries.ts";

/** Smaller files travel as one piece; a stream of their own would cost more than their bytes. */
const onePiece = 64 * 1024;

/** The last second that a plain header can hold; later ones need an extended header. */
const lastPlainSecond = 2 ** 31 - 1;

/** Makes an archive of entries, as fast as it is read and no faster. */
export async function* packEntries(
  entries: Iterable<ArchiveEntry> | AsyncIterable<ArchiveEntry>,
): AsyncGenerator<Buffer, void> {
  const archive = pack();
  let failure: unknown;
  const written = writeEntries(archive, entries).catch((error: unknown) => {
    failure = error;
    archive.destroy();
  });
  try {
    // A stream of the archiver's own kind, made to be used as a node stream; only its types differ.
    for await (const chunk of archive as unknown as Readable) yield chunk as Buffer;
  } catch (error) {
    // The archive was ended because an entry could not be had: that is the reason to give.
    throw failure ?? error;
  } finally {
    archive.destroy();
    await written;
  }
}

async function writeEntries(
  archive: Pack,
  entries: Iterable<ArchiveEntry> | AsyncIterable<ArchiveEntry>,
): Promise<void> {
  for await (const entry of entries) await writeEntry(archive, entry);
  archive.finalize();
}

async function writeEntry(archive: Pack, entry: ArchiveEntry): Promise<void> {
  const { body } = entry;
  const header = commonHeader(entry);
  switch (body.kind) {
    case "directory":
      return settled((done) =>
        archive.entry({ ...header, name: `${header.name}/`, type: "directory" }, done),
      );
    case "symlink":
      return settled((done) => archive.entry({ ...header, type: "symlink", linkname: body.target }, done));
    case "copy":
      return settled((done) => archive.entry({ ...header, type: "link", linkname: nameOf(body.of) }, done));
    case "file":
      return writeFile(archive, { ...header, type: "file", size: body.size }, body.content);
  }
}

async function writeFile(
  archive: Pack,
  header: Partial<Header> & { name: string; size: number },
  content: Chunks,
): Promise<void> {
  if (header.size > onePiece) {
    const sink = archive.entry(header);
    return pipeline(Readable.from(content), sink as unknown as Writable);
  }
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(chunk);
  const whole = Buffer.concat(chunks);
  if (whole.length !== header.size) throw new Error(`${header.name} changed its size while it was read`);
  return settled((done) => archive.entry(header, whole, done));
}

function commonHeader({ path, mode, modified }: ArchiveEntry): Partial<Header> & { name: string } {
  const seconds = Math.max(0, Math.floor(modified.getTime() / 1000));
  return {
    name: nameOf(path),
    mode,
    mtime: new Date(Math.min(seconds, lastPlainSecond) * 1000),
    ...(seconds > lastPlainSecond ? { pax: { mtime: String(seconds) } } : {}),
  };
}

function nameOf(path: readonly string[]): string {
  return [".", ...path].join("/");
}

function settled(start: (done: (error?: Error | null) => void) => unknown): Promise<void> {
  return new Promise((resolve, reject) => {
    start((error) => (error ? reject(error) : resolve()));
  });
}
