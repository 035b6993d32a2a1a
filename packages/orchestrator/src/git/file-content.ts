import { OrchestratorError } from "../errors.ts";
import type { OwnGit } from "./own-git.ts";
import { findInTree } from "./tree-listing.ts";

/** What is read as a whole is a settings file or a lock file. */
const mostBytes = 64 * 1024 * 1024;

/**
 * The content of a regular file of a commit, as it is stored there: nothing is converted or filtered. Undefined where
 * there is none; a link is none, wherever it leads.
 */
export async function readContent(own: OwnGit, commit: string, path: string): Promise<Buffer | undefined> {
  const entry = await findInTree(own, commit, path);
  if (!entry?.mode.startsWith("100")) return undefined;
  if (entry.size > mostBytes) throw tooLarge(path, entry.size);
  const chunks: Buffer[] = [];
  for await (const chunk of own.stream(["cat-file", "blob", entry.oid])) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function tooLarge(path: string, size: number): OrchestratorError {
  return new OrchestratorError(
    "resource_limit",
    `${path} is ${size} bytes long, too long to be read as a whole`,
    {
      remedy: `keep it below ${mostBytes} bytes`,
    },
  );
}
