import { SandboxError } from "../errors.ts";
import { printable } from "../files/untrusted-text.ts";
import type { Ref } from "./bundle.ts";

/** Far more branches than a person or an agent keeps; each becomes a file in the user's repository. */
const mostRefs = 1000;

/** A loose ref is a file, and its lock has five letters more. */
const longestComponent = 200;
const longestName = 1000;

/** Characters and sequences that git forbids, and those that would not be seen when the name is printed. */
const forbidden = /[\p{Cc}\p{Cf}\p{Zs}\p{Zl}\p{Zp}\p{Cs}\uFFFD~^:?*[\\]|\.\.|@\{/u;

/** Where the commits of a sandbox are kept in the user's repository. A name that git would not take is escaped. */
export function sandboxRefs(sandboxName: string): string {
  const escaped = sandboxName.replaceAll(/\.(?=\.|$|lock$)/g, "%2E");
  return `refs/sandboxes/${escaped}/`;
}

/**
 * Turns the refs that a sandbox named into refs of the user's repository: branches by their name, and HEAD. What
 * git would not take, what hides something, and two names that one file system takes for the same are refused.
 */
export function checkedRefs(refs: readonly Ref[], sandboxName: string): Ref[] {
  if (refs.length > mostRefs) throw refused(`it has more than ${mostRefs} branches`);
  const prefix = sandboxRefs(sandboxName);
  const checked = refs.map(({ name, oid }) => ({ oid, name: prefix + shortName(name) }));
  const seen = new Map<string, string>();
  for (const { name } of checked) {
    const folded = name.normalize("NFC").toLowerCase();
    const other = seen.get(folded);
    if (other !== undefined) throw refused(`${quoted(other)} and ${quoted(name)} differ in their case only`);
    seen.set(folded, name);
  }
  return checked;
}

function shortName(name: string): string {
  if (name === "HEAD") return name;
  const branch = name.startsWith("refs/heads/") ? name.slice("refs/heads/".length) : undefined;
  if (branch === undefined) throw refused(`${quoted(name)} is not a branch`);
  if (name.length > longestName || forbidden.test(branch))
    throw refused(`the branch ${quoted(name)} has a bad name`);
  const parts = branch.split("/");
  if (parts.some(isBadComponent)) throw refused(`the branch ${quoted(name)} has a bad name`);
  if (parts[0]?.toLowerCase() === "head") throw refused(`a branch called ${quoted(branch)} would hide HEAD`);
  return branch;
}

function isBadComponent(part: string): boolean {
  if (part === "" || part === "@" || Buffer.byteLength(part) > longestComponent) return true;
  return (
    part.startsWith(".") || part.startsWith("-") || part.endsWith(".") || part.toLowerCase().endsWith(".lock")
  );
}

function quoted(name: string): string {
  return JSON.stringify(printable(name, 100));
}

function refused(reason: string): SandboxError {
  return new SandboxError("git_failed", `the branches in the sandbox cannot be fetched: ${reason}`, {
    remedy: "rename or delete it inside with `git branch`, and fetch again",
  });
}
