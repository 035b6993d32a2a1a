import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { LEAN_PACKAGES } from "../../scripts/build/packages.mjs";
import { atEnd } from "./at-end.ts";
import { temporaryFolder } from "./temporary-workspace.ts";

const made = new Map<string, Promise<string>>();

/**
 * A program that a test starts as a process of its own, as one file for `node`: compiling each of its modules at every
 * start would take seconds of a whole core. What its modules find beside themselves they still find there.
 */
export function bundledProgram(source: URL): Promise<string> {
  const file = fileURLToPath(source);
  const known = made.get(file) ?? bundle(file);
  made.set(file, known);
  return known;
}

/** The same for a module that such a process imports, as the address by which it does. */
export async function bundledModule(source: URL): Promise<string> {
  return pathToFileURL(await bundledProgram(source)).href;
}

/** CommonJS packages inside an ES module still ask for `require`. */
const withRequire = `import { createRequire as __createRequire } from "node:module"; const require = __createRequire(${JSON.stringify(import.meta.url)});`;

async function bundle(file: string): Promise<string> {
  const outfile = join(temporaryFolder("opentiger-program-"), `${basename(file, ".ts")}.mjs`);
  atEnd(() => made.delete(file));
  await build({
    entryPoints: [file],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    banner: { js: withRequire },
    logLevel: "error",
    plugins: [ownPlaces, LEAN_PACKAGES],
  });
  return outfile;
}

/** Each module of ours knows where its own file is, and not where the bundle is. */
const ownPlaces: Plugin = {
  name: "own-places",
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      const contents = text
        .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href))
        .replaceAll("import.meta.dirname", JSON.stringify(dirname(path)));
      return { contents, loader: "ts" };
    });
  },
};
