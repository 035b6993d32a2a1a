import { type ChildProcessByStdio, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, createReadStream, createWriteStream, openSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";

/** Everything in a folder, or only these names of it, as one archive. Sockets are no files, and left out. */
export async function packFolder(
  folder: string,
  into: Writable,
  { names = ["."], exclude = [], signal }: PackOptions = {},
): Promise<void> {
  const words = ["--create", "--file=-", "--numeric-owner", ...exclude.map((path) => `--exclude=./${path}`)];
  const child = tar([...words, "--directory", folder, "--", ...names], signal);
  await Promise.all([child.ended, pipeline(child.stdout, into)]);
}

export interface PackOptions {
  names?: readonly string[];
  /** Relative to the folder, with everything below them. */
  exclude?: readonly string[];
  signal?: AbortSignal | undefined;
}

/** Into an empty folder. Whatever the archive says, nothing lands outside of it, and all of it is the caller's. */
export async function unpackInto(folder: string, archive: string, signal?: AbortSignal): Promise<void> {
  // By its stdin: a name with a colon in it would be a file on another machine.
  const from = openSync(archive, "r");
  try {
    const words = ["--extract", "--file=-", "--preserve-permissions", "--no-same-owner"];
    const child = tar([...words, "--directory", folder], signal, from);
    child.stdout.resume();
    await child.ended;
  } finally {
    closeSync(from);
  }
}

/** One file of the manifest and the parts. It is for its owner alone, and on the disk when this returns. */
export async function packFile(
  folder: string,
  names: readonly string[],
  path: string,
  signal?: AbortSignal,
): Promise<void> {
  const gzip = createGzip();
  const written = pipeline(gzip, createWriteStream(path, { flags: "wx", mode: 0o600 }));
  await Promise.all([packFolder(folder, gzip, { names, signal }), written]);
  const file = await open(path, "r");
  await file.sync().finally(() => file.close());
}

/** Fails where a byte of it is wrong or missing: all of it is read before any of it is looked at. */
export async function unpackFile(path: string, folder: string, signal?: AbortSignal): Promise<void> {
  const plain = `${folder}.tar`;
  const written = createWriteStream(plain, { flags: "wx", mode: 0o600 });
  await pipeline(createReadStream(path), createGunzip(), written, ...(signal ? [{ signal }] : []));
  await unpackInto(folder, plain, signal);
  rmSync(plain);
}

export async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

/** A few sentences are enough to know what is wrong. */
const maxComplaint = 2_000;

function tar(words: readonly string[], signal: AbortSignal | undefined, input?: number) {
  // The last two are pipes, whatever the first is; the types know that only where it is a word.
  const child = spawn("tar", words, {
    stdio: [input ?? "ignore", "pipe", "pipe"],
    ...(signal ? { signal } : {}),
  }) as ChildProcessByStdio<null, Readable, Readable>;
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    if (said.length < maxComplaint) said += text;
  });
  const ended = new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) =>
      code === 0 ? resolve() : reject(new Error(said.trim() || `tar ended with ${code}`)),
    );
  });
  return { stdout: child.stdout, ended };
}
