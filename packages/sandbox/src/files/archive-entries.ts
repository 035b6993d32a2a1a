import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { extract, type Header } from "tar-stream";
import { SandboxError } from "../errors.ts";
import { ArchiveEnd } from "./archive-end.ts";
import type { ArchiveBudget } from "./archive-limits.ts";
import { entryComponents, refused } from "./entry-name.ts";
import { printable } from "./untrusted-text.ts";

export interface ArchiveEntry {
  /** Below the root of the archive; empty for the root itself. */
  path: string[];
  mode: number;
  modified: Date;
  body: EntryBody;
}

/** Content in pieces, at hand or yet to come. */
export type Chunks = Iterable<Buffer> | AsyncIterable<Buffer>;

export type EntryBody =
  | { kind: "directory" }
  | { kind: "file"; size: number; content: Chunks }
  | { kind: "symlink"; target: string }
  /** A second name of a file that came earlier in the archive. */
  | { kind: "copy"; of: string[] };

/**
 * The entries of a tar archive that an agent may have written: names checked, and of the kinds only those that
 * are harmless. Content is read before the next entry is asked for, or not at all. Ends normally only at a
 * proper end of the archive: a cut one is an error, wherever it was cut.
 */
export async function* archiveEntries(
  bytes: AsyncIterable<Buffer>,
  budget: ArchiveBudget,
): AsyncGenerator<ArchiveEntry, void> {
  // Names as bytes, since decoding them in the parser hides what is not UTF-8. Its types do not know the option.
  const parser = extract({ filenameEncoding: "latin1" } as Parameters<typeof extract>[0]);
  const end = new ArchiveEnd();
  // The parser is a stream of its own kind, made to be used as a node stream; only its types differ.
  const fed = pipeline(Readable.from(watched(bytes, budget, end)), parser as unknown as Writable);
  fed.catch(() => {}); // Asked below, unless the reader stops early.
  try {
    for await (const source of parser) {
      budget.addEntry();
      end.entry((source.header as ReadHeader).byteOffset, contentSize(source.header));
      // The same stream seen as the node stream that it can be used as.
      const content = source as unknown as Readable;
      yield readEntry(source.header as ReadHeader, contentOf(content, fed));
      content.resume();
    }
    await fed;
  } catch (error) {
    throw await rootCause(error, fed);
  }
  if (!end.isProper) throw notWhole(new Error("its end is missing"));
}

async function* contentOf(content: AsyncIterable<Buffer>, fed: Promise<void>): AsyncGenerator<Buffer, void> {
  try {
    yield* content;
  } catch (error) {
    throw await rootCause(error, fed);
  }
}

/** What the parser adds to the documented fields. */
interface ReadHeader extends Omit<Header, "type" | "linkname" | "pax"> {
  type: Header["type"] | null;
  linkname: string | null;
  byteOffset: number;
  pax: Record<string, string> | null;
}

async function* watched(
  bytes: AsyncIterable<Buffer>,
  budget: ArchiveBudget,
  end: ArchiveEnd,
): AsyncGenerator<Buffer> {
  for await (const chunk of bytes) {
    budget.spend(chunk.length);
    end.push(chunk);
    yield chunk;
  }
}

function readEntry(header: ReadHeader, content: AsyncIterable<Buffer>): ArchiveEntry {
  const name = header.pax?.["path"] ?? utf8(header.name);
  return {
    path: entryComponents(name),
    // Set-user-id and its kin stay behind.
    mode: header.mode & 0o777,
    modified: plausibleTime(header.mtime),
    body: readBody(name, header, content),
  };
}

function readBody(name: string, header: ReadHeader, content: AsyncIterable<Buffer>): EntryBody {
  if (Object.keys(header.pax ?? {}).some((key) => key.startsWith("GNU.sparse"))) {
    throw refused(name, "is stored as a sparse file");
  }
  if (header.type === "directory") return { kind: "directory" };
  if (name.endsWith("/")) throw refused(name, "is named like a folder and is none");
  switch (header.type) {
    case "file":
    case "contiguous-file":
      return { kind: "file", size: header.size, content };
    case "symlink":
      return { kind: "symlink", target: linkName(header) };
    case "link":
      return { kind: "copy", of: entryComponents(linkName(header)) };
    case "fifo":
      throw refused(name, "is a FIFO");
    case "character-device":
    case "block-device":
      throw refused(name, "is a device");
    default:
      throw refused(name, "is of an unknown kind");
  }
}

function linkName(header: ReadHeader): string {
  return header.pax?.["linkpath"] ?? utf8(header.linkname ?? "");
}

function utf8(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString("utf8");
}

/** The parser takes no content for a folder, whatever size its header claims. */
function contentSize(header: Header): number {
  return header.type === "directory" ? 0 : header.size;
}

/** A time that every file system can hold. */
function plausibleTime(time: Date): Date {
  const latest = Date.UTC(2106, 0, 1);
  const value = time.getTime();
  return new Date(Number.isFinite(value) ? Math.min(Math.max(value, 0), latest) : 0);
}

/** When the bytes stop coming, the parser only knows that it was ended; who fed it knows why. */
async function rootCause(error: unknown, fed: Promise<void>): Promise<unknown> {
  if (error instanceof SandboxError) return error;
  const cause = await fed.then(
    () => error,
    (reason: unknown) => reason,
  );
  return cause instanceof SandboxError ? cause : notWhole(cause);
}

function notWhole(error: unknown): SandboxError {
  const reason = printable(error instanceof Error ? error.message : String(error));
  return new SandboxError("copy_refused", `what came out of the sandbox is not a whole archive: ${reason}`, {
    remedy: "try again; if it stays so, something inside has replaced `tar`",
    cause: error,
  });
}
