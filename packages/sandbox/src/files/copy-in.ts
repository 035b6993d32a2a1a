import { realpathSync, type Stats } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import type { ExecExit } from "@opentiger/schema";
import { SandboxError } from "../errors.ts";
import type { ArchiveEntry } from "./archive-entries.ts";
import { packEntries } from "./archive-pack.ts";
import { receiveScript, receiveStatus } from "./copy-in-script.ts";
import { Folder } from "./folder.ts";
import { hostEntries } from "./host-entries.ts";
import { type Inside, runInside } from "./inside-command.ts";
import { sourcePath } from "./source-path.ts";
import { lastLines } from "./untrusted-text.ts";

export interface CopyInOptions {
  /** A path of the host, or a tar archive as a stream. `DIR/.` means what is in the folder. */
  from: string | AsyncIterable<Buffer>;
  /** A path inside; a relative one starts at the workspace. */
  to: string;
  signal?: AbortSignal;
  onProgress?: (line: string) => void;
}

export interface CopyInResult {
  /** Undefined for an archive, which passes unread. */
  entries: number | undefined;
}

/**
 * Copies into a sandbox, with the rules of `docker cp`: a file takes the name `to`, or goes into the folder `to`;
 * a folder becomes `to`, or goes below it where that exists; an archive is unpacked in the folder `to`. Written
 * by the agent's user, with mode and time; a file appears as a whole or not at all.
 */
export async function copyIn(inside: Inside, options: CopyInOptions): Promise<CopyInResult> {
  if (typeof options.from !== "string") {
    await receive(inside, options, ["archive", "", "", ""], options.from);
    return { entries: undefined };
  }
  const source = openSource(options.from);
  const result = { entries: 0 };
  const entries = hostEntries(source.parent, source.name, {
    as: source.info.isDirectory() ? [] : ["entry"],
    leftOut: (path) => options.onProgress?.(`${path} is neither a file, a folder nor a link: left out`),
  });
  try {
    await receive(inside, options, source.about, packEntries(counted(entries, result)));
  } finally {
    source.parent.close();
  }
  return result;
}

interface Source {
  parent: Folder;
  name: string;
  info: Stats;
  /** For the script: kind, name below an existing folder, mode, time. */
  about: [string, string, string, string];
}

function openSource(from: string): Source {
  const wanted = sourcePath(from);
  try {
    const path = wanted.isFolder ? realpathSync(wanted.path) : resolve(wanted.path);
    const parent = Folder.open(dirname(path));
    const name = basename(path) || ".";
    const info = parent.info(name);
    if (info && (info.isDirectory() || !wanted.isFolder)) {
      const seconds = Math.max(0, Math.floor(info.mtimeMs / 1000));
      const kind = info.isDirectory() ? "tree" : "file";
      const called = wanted.contents ? "" : wanted.name;
      return { parent, name, info, about: [kind, called, (info.mode & 0o777).toString(8), `@${seconds}`] };
    }
    parent.close();
  } catch (error) {
    throw missing(from, error);
  }
  throw missing(from);
}

function* counted(entries: Iterable<ArchiveEntry>, result: { entries: number }): Generator<ArchiveEntry> {
  for (const entry of entries) {
    result.entries += 1;
    yield entry;
  }
}

async function receive(
  inside: Inside,
  options: CopyInOptions,
  about: readonly string[],
  input: AsyncIterable<Buffer>,
): Promise<void> {
  await runInside(inside, ["sh", "-c", receiveScript, "sh", options.to, ...about], {
    input,
    signal: options.signal,
    env: { LC_ALL: "C" },
    failure: (exit, stderr) => explained(exit, stderr, options.to),
  });
}

function missing(from: string, cause?: unknown): SandboxError {
  return new SandboxError("not_found", `${from} does not exist, or is not what its name says`, {
    remedy: "check the path on this side",
    cause,
  });
}

function explained(exit: ExecExit, stderr: string, to: string): SandboxError {
  const said = lastLines(stderr);
  switch (exit.code) {
    case receiveStatus.noFolder:
      return new SandboxError("not_found", `there is no folder ${to} in the sandbox`, {
        remedy: `make it first, with \`mkdir -p\` inside`,
      });
    case receiveStatus.inTheWay:
      return new SandboxError("already_exists", `${to} is in the way: ${said}`, {
        remedy: "name another place, or remove it inside first",
      });
    case 127:
      return new SandboxError("command_not_found", `the sandbox lacks a tool to copy with: ${said}`, {
        remedy: "use an image that has `sh` and `tar`",
      });
    default:
      break;
  }
  if (said.includes("No space left")) {
    return new SandboxError("disk_full", `the sandbox has no space left for ${to}`, {
      remedy: "make room inside",
    });
  }
  return new SandboxError("copy_refused", `copying to ${to} failed in the sandbox: ${said}`, {
    remedy: "look at the folder's owner and mode inside",
  });
}
