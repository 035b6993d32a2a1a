import { z } from "zod";

const entry = z.object({ link: z.boolean().optional(), resolved: z.string().optional() });
const lock = z.object({ packages: z.record(z.string(), entry) });

/**
 * Packages that npm installs from a folder of the repository by this lock file, and did not before: `package.json` need not
 * say anything of it.
 */
export function linkedPackages(before: Buffer | undefined, after: Buffer | undefined): string[] {
  const [old, now] = [packagesOf(before), packagesOf(after)];
  return Object.entries(now)
    .filter(([path, { link }]) => {
      const was = old[path];
      return path.startsWith("node_modules/") && link === true && was !== undefined && was.link !== true;
    })
    .map(([path]) => path);
}

function packagesOf(file: Buffer | undefined): z.infer<typeof lock>["packages"] {
  try {
    return lock.parse(JSON.parse(file?.toString("utf8") ?? "")).packages;
  } catch {
    return {};
  }
}
