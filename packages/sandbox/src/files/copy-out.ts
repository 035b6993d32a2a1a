import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ExecExit } from "@opentiger/schema";
import { SandboxError } from "../errors.ts";
import { archiveEntries } from "./archive-entries.ts";
import { ArchiveBudget, type ArchiveLimits, defaultLimits } from "./archive-limits.ts";
import { packEntries } from "./archive-pack.ts";
import { consistentEntries, type OutsideLinks } from "./consistent-entries.ts";
import { sendScript, sendStatus } from "./copy-out-script.ts";
import { type Inside, readInside } from "./inside-command.ts";
import { type SourcePath, sourcePath } from "./source-path.ts";
import { unpackTo } from "./unpack.ts";
import { lastLines } from "./untrusted-text.ts";

export interface CopyOutOptions {
  /** A path inside; a relative one starts at the workspace. `DIR/.` means what is in the folder. */
  from: string;
  /** A path of the host, or a stream that gets a tar archive. */
  to: string | Writable;
  limits?: Partial<ArchiveLimits>;
  /** Default: refuse. */
  outsideLinks?: OutsideLinks["action"];
  signal?: AbortSignal;
  onProgress?: (line: string) => void;
}

export interface CopyOutResult {
  entries: number;
  /** Links that lead out of what was copied, where they are skipped. */
  skipped: string[];
}

/**
 * Copies out of a sandbox, with the rules of `docker cp`. What comes is not trusted: see archiveEntries and
 * consistentEntries for what is refused. A refused, cut or cancelled copy leaves nothing behind, and nothing is
 * ever written outside of `to`. Owned by the caller, with mode (within the umask) and time.
 */
export async function copyOut(inside: Inside, options: CopyOutOptions): Promise<CopyOutResult> {
  const source = sourcePath(options.from);
  const budget = new ArchiveBudget({ ...defaultLimits, ...options.limits });
  const skipped: string[] = [];
  const outsideLinks: OutsideLinks =
    options.outsideLinks === "skip" ? { action: "skip", skipped } : { action: "refuse" };
  const entries = consistentEntries(archiveEntries(send(inside, source, options), budget), outsideLinks);
  try {
    if (typeof options.to === "string") await unpackTo(options.to, source, entries, budget);
    else await pipeline(packEntries(entries), options.to, { end: false });
  } finally {
    await entries.return();
  }
  return { entries: budget.entries, skipped };
}

/** The raw archive. A command inside that fails makes the reading fail, also when its archive looks whole. */
function send(inside: Inside, source: SourcePath, options: CopyOutOptions): AsyncGenerator<Buffer, void> {
  const wanted = source.isFolder ? "folder" : "";
  const command = ["sh", "-c", sendScript, "sh", source.path, source.parent, source.name, wanted];
  return readInside(inside, command, {
    signal: options.signal,
    env: { LC_ALL: "C" },
    tolerate: (exit, stderr) => changedMeanwhile(exit, stderr, options),
    failure: (exit, stderr) => explained(exit, stderr, options.from),
  });
}

/** GNU tar ends with 1 when a file grew while it was read; what it sent is whole, as of some moment. */
function changedMeanwhile(exit: ExecExit, stderr: string, options: CopyOutOptions): boolean {
  const lines = stderr.split("\n").filter((line) => line !== "");
  const harmless = lines.every((line) =>
    /: file (changed as we read it|removed before we read it)$/.test(line),
  );
  if (exit.code !== 1 || lines.length === 0 || !harmless) return false;
  options.onProgress?.(`while it was copied: ${lastLines(stderr)}`);
  return true;
}

function explained(exit: ExecExit, stderr: string, from: string): SandboxError {
  switch (exit.code) {
    case sendStatus.notFound:
      return new SandboxError("not_found", `${from} does not exist in the sandbox`, {
        remedy: "check the path",
      });
    case sendStatus.notAFolder:
      return new SandboxError("not_found", `${from} is not a folder`, {
        remedy: "name it without the slash",
      });
    case 127:
      return new SandboxError(
        "command_not_found",
        `the sandbox lacks a tool to copy with: ${lastLines(stderr)}`,
        {
          remedy: "use an image that has `sh` and `tar`",
        },
      );
    default:
      return new SandboxError("copy_refused", `copying ${from} failed in the sandbox: ${lastLines(stderr)}`, {
        remedy: "look at what is there, with `ls -la` inside",
      });
  }
}
