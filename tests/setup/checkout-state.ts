import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** What a loop hands over: new objects and its branch, with that branch's log. */
const handedOver = /^\.git\/(?:objects|refs\/heads\/tiger|logs\/refs\/heads\/tiger)(?:\/|$)/;

/**
 * Every file of a user's repository, by its path: kind, rights, time of its last change and content, those of `.git` too,
 * but for what a loop hands over. Two of them are equal as long as not a bit of it has changed.
 */
export function checkoutState(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  const visit = (path: string): void => {
    if (handedOver.test(path)) return;
    const full = join(folder, path);
    const info = lstatSync(full);
    if (info.isDirectory()) {
      found[path] = `${info.mode}`;
      for (const name of readdirSync(full)) visit(join(path, name));
      return;
    }
    found[path] = `${info.mode} ${info.mtimeMs} ${contentOf(full)}`;
  };
  visit("");
  return found;
}

/** What is neither a file nor a link, as a FIFO, is not read: that would never end. */
function contentOf(path: string): string {
  const info = lstatSync(path);
  if (info.isSymbolicLink()) return readlinkSync(path);
  return info.isFile() ? createHash("sha256").update(readFileSync(path)).digest("hex") : "";
}
