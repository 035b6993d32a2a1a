import { SandboxError } from "../errors.ts";
import { printable } from "./untrusted-text.ts";

/** What a file system takes; a longer name in an archive is there to break something. */
const longestComponent = 255;
const longestPath = 4095;

/** Folders are held open on the way down, so depth costs descriptors. */
const deepest = 256;

/**
 * The components of an archive entry's name, relative to the root of the archive, which is the empty list.
 * Whatever could name something outside of it, or be read in two ways, is refused.
 */
export function entryComponents(name: string): string[] {
  if (name.startsWith("/")) throw refused(name, "is absolute");
  const reason = unusable(name);
  if (reason) throw refused(name, reason);
  const components = name.split("/").filter((part) => part !== "" && part !== ".");
  if (components.includes("..")) throw refused(name, "leads upwards");
  if (components.length > deepest) throw refused(name, `is more than ${deepest} folders deep`);
  if (components.some((part) => Buffer.byteLength(part) > longestComponent))
    throw refused(name, "is too long");
  return components;
}

/**
 * Says why a link must not be made, or undefined when wherever it leads is inside the archive. `..` may stand
 * only at the start: behind the name of another link it would lead to that link's target and up from there.
 */
export function leadsOutside(link: readonly string[], target: string): string | undefined {
  if (target === "") return "points nowhere";
  if (target.startsWith("/")) return "points to an absolute path";
  const reason = unusable(target);
  if (reason) return `has a target that ${reason}`;
  const parts = target.split("/").filter((part) => part !== "" && part !== ".");
  const up = parts.findIndex((part) => part !== "..");
  const climbs = up === -1 ? parts.length : up;
  if (climbs > link.length - 1) return "points out of what is copied";
  return parts.slice(climbs).includes("..") ? "goes down and up again" : undefined;
}

export function refused(name: string, reason: string): SandboxError {
  return new SandboxError("copy_refused", `the entry ${JSON.stringify(printable(name))} ${reason}`, {
    remedy: "remove it inside the sandbox, or copy a part that does not contain it",
  });
}

function unusable(text: string): string | undefined {
  if (text.includes("\0")) return "contains a NUL";
  // The replacement character is what remains of bytes that are not UTF-8: two such names would look the same.
  if (text.includes("\uFFFD")) return "is not valid UTF-8";
  return Buffer.byteLength(text) > longestPath ? "is too long" : undefined;
}
