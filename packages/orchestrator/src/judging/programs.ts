import { z } from "zod";

type Manifest = Readonly<Record<string, unknown>>;

const named = z.record(z.string(), z.unknown());

/**
 * Programs that a package brings along and did not before. Package managers put those of a package that another one depends on
 * in front of all others, for every script: one that is called `node` runs in place of Node. So the only one that may come
 * is called as the package was before, and nobody calls it yet.
 */
export function newPrograms(before: Manifest, after: Manifest, called: ReadonlySet<string>): string[] {
  const known = new Set(programsOf(before));
  const own = ownName(before);
  const isOwn = (name: string): boolean => name === own && !called.has(name) && !basic.has(name);
  return programsOf(after)
    .filter((name) => !known.has(name) && !isOwn(name))
    .map((name) => `bin.${name}`);
}

/** Whether it brings all programs of a folder along. */
export function bringsFolder({ directories }: Manifest): boolean {
  return named.safeParse(directories).data?.["bin"] !== undefined;
}

/** Whatever may be the program in a command, by how commands are separated. */
export function wordsOf(commands: readonly string[]): string[] {
  return commands.flatMap((command) => command.split(/[\s'"`;|&()<>]+/));
}

/** Run by other programs, whether a command names them or not. */
const basic = new Set(["node", "npm", "npx", "sh", "bash", "env"]);

function programsOf(manifest: Manifest): string[] {
  const { bin } = manifest;
  if (bin === undefined) return [];
  if (typeof bin === "string") return [ownName(manifest) ?? ""];
  // What it means in another form is known to package managers alone.
  const names = named.safeParse(bin).data;
  return names ? Object.keys(names) : [JSON.stringify(bin)];
}

/** Without its scope, as package managers call a program that has no name. */
function ownName({ name }: Manifest): string | undefined {
  return typeof name === "string" ? name.replace(/^@[^/]*\//, "") : undefined;
}
