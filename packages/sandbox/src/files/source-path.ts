import { posix } from "node:path";
import { SandboxError } from "../errors.ts";

/** What a path says about how it is to be copied, by the rules of `docker cp`. */
export interface SourcePath {
  /** Without the slash or dot at its end. */
  path: string;
  /** The folder that holds it, and its name there. */
  parent: string;
  name: string;
  /** `DIR/.`: what is in the folder, not the folder itself. */
  contents: boolean;
  /** A slash or dot at the end: it must be a folder, and a link to one is the folder. */
  isFolder: boolean;
}

export function sourcePath(from: string): SourcePath {
  if (from === "" || from.includes("\0")) {
    throw new SandboxError("usage", `${JSON.stringify(from)} is not a path`, {
      remedy: "name a file or folder",
    });
  }
  // Only its end is touched: `..` behind a link means what the kernel makes of it.
  const path = from.replace(/(\/+\.?)+$/, "") || "/";
  const name = posix.basename(path);
  // `/`, `.` and `..` have no name that the copy could take.
  const contents = /(^|\/)\.$/.test(from) || ["", ".", ".."].includes(name);
  return { path, parent: posix.dirname(path), name, contents, isFolder: contents || from.endsWith("/") };
}
