import { dirname } from "node:path/posix";
import { parse } from "yaml";
import { z } from "zod";
import type { ProjectFiles } from "./project-files.ts";

const names = z.record(z.string(), z.string());

/** As much of a package.json as detection needs. What has another form than it should is as good as absent. */
const packageManifest = z.object({
  packageManager: z.string().optional().catch(undefined),
  scripts: names.optional().catch(undefined),
  workspaces: z
    .union([z.array(z.string()), z.object({ packages: z.array(z.string()) }).transform((of) => of.packages)])
    .optional()
    .catch(undefined),
  dependencies: names.optional().catch(undefined),
  devDependencies: names.optional().catch(undefined),
  optionalDependencies: names.optional().catch(undefined),
});
export type PackageManifest = z.infer<typeof packageManifest>;

export async function readManifest(files: ProjectFiles): Promise<PackageManifest | undefined> {
  const text = await files.text("package.json");
  if (text === undefined) return undefined;
  try {
    return packageManifest.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** A longer script is more than a word or a call. An agent may have written it: patterns look at no more than this. */
export const longestCall = 1_000;

/** Whether a script does something: `npm init` leaves one that only says that there is none. */
export function realScript(script: string | undefined): script is string {
  if (script === undefined) return false;
  if (script.length > longestCall) return true;
  return !/^(?:\s*(?:echo\b[^&|;]*|exit\s+\d+|true|false|:)\s*(?:&&|;|\|\||$))*$/.test(script.trim());
}

/** More than any repository has by hand. */
const maxWorkspaces = 200;
const maxPatterns = 200;
const longestPattern = 200;

/** Its name stands in commands. */
const plainFolder = /^[\w@.+][\w@.+-]*(?:\/[\w@.+][\w@.+-]*)*$/;

/** The folders of the workspaces, by the patterns that name them. */
export async function workspaceFolders(
  files: ProjectFiles,
  { workspaces }: PackageManifest,
): Promise<string[]> {
  const named = workspaces ?? (await pnpmPatterns(files));
  const patterns = named.filter(({ length }) => length <= longestPattern).slice(0, maxPatterns);
  const wanted = patterns.filter((pattern) => !pattern.startsWith("!"));
  if (wanted.length === 0) return [];
  const excluded = patterns.filter((pattern) => pattern.startsWith("!")).map((pattern) => pattern.slice(1));
  const manifests = (globs: readonly string[]): string[] =>
    globs.map((glob) => `${glob.replace(/^\.\//, "").replace(/\/$/, "")}/package.json`);
  const left = new Set(excluded.length > 0 ? files.matching(...manifests(excluded)) : []);
  return files
    .matching(...manifests(wanted))
    .filter((path) => !left.has(path) && !path.includes("node_modules/"))
    .map((path) => dirname(path))
    .filter((folder) => plainFolder.test(folder))
    .toSorted()
    .slice(0, maxWorkspaces);
}

/** With the versions of all packages in it. The time to read one grows faster than its length. */
const longestWorkspace = 64 * 1024;

async function pnpmPatterns(files: ProjectFiles): Promise<string[]> {
  const text = await files.text("pnpm-workspace.yaml");
  if (text === undefined || text.length > longestWorkspace) return [];
  try {
    // No aliases: a few lines of them can stand for gigabytes. Each key is not compared with all others.
    const read: unknown = parse(text, { maxAliasCount: 0, uniqueKeys: false });
    return z.object({ packages: z.array(z.string()) }).parse(read).packages;
  } catch {
    return [];
  }
}
