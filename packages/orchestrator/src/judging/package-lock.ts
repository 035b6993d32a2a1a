import { posix } from "node:path";
import { z } from "zod";

const entry = z.object({ link: z.boolean().optional(), resolved: z.string().optional() });
const lock = z.object({ packages: z.record(z.string(), entry) });

type Entry = z.infer<typeof entry>;
type Packages = Readonly<Record<string, Entry>>;

/**
 * Packages that npm installs from a folder of the repository by this lock file, anywhere, and from elsewhere by the one
 * before: `package.json` need not say anything of it. One that can be read no more is all of it.
 */
export function linkedPackages(before: Buffer | undefined, after: Buffer | undefined): string[] {
  const [old, now] = [packagesOf(before), packagesOf(after)];
  if (!old || after === undefined) return [];
  if (!now) return ["the file"];
  const foreign = new Set(
    Object.entries(old).flatMap(([path, known]) => (isLocal(known) ? [] : (nameAt(path) ?? []))),
  );
  return Object.entries(now).flatMap(([path, installed]) => {
    const was = old[path];
    const isMoved = isLocal(installed) && !(was && isLocal(was));
    return isMoved && foreign.has(nameAt(path) ?? "") ? [path] : [];
  });
}

/** The lock file that npm would obey if this one, which is new, were not there. */
export function lockInPlaceOf(path: string): string | undefined {
  const { dir, base } = posix.parse(path);
  return base === "npm-shrinkwrap.json" ? posix.join(dir, "package-lock.json") : undefined;
}

/** What is no address is a path; a folder may stand in place of an archive. */
function isLocal({ link, resolved }: Entry): boolean {
  return link === true || (resolved !== undefined && (!resolved.includes("://") || /^file:/i.test(resolved)));
}

function nameAt(path: string): string | undefined {
  return /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1];
}

function packagesOf(file: Buffer | undefined): Packages | undefined {
  try {
    return lock.parse(JSON.parse(file?.toString("utf8") ?? "")).packages;
  } catch {
    return undefined;
  }
}
