import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { CHECKOUT, inCheckout } from "../setup/checkout.mjs";
import { LEAN_PACKAGES } from "./packages.mjs";

/** CommonJS packages inside an ES module still ask for `require`. */
const REQUIRE = `import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);`;

/** What runs as root inside every sandbox is ours to the last byte. */
const SUPERVISOR_SOURCES = ["packages/sandbox/src/supervisor/", "packages/sandbox/src/protocol/"];

/** What `docker sandbox exec` starts. As CommonJS, since Node starts that in four fifths of the time. */
const LEAN = "sandbox-exec.ts";

/** No library at all: each would be read before every exec. */
const LEAN_SOURCES = [
  "packages/cli/src/",
  "packages/sandbox/src/",
  "packages/schema/src/errors.ts",
  "packages/schema/src/units.ts",
];

/** @type {import("esbuild").BuildOptions} */
const BUNDLED = {
  bundle: true,
  platform: "node",
  target: "node20",
  legalComments: "none",
  logLevel: "error",
};

/** @type {import("esbuild").BuildOptions} */
const MODULES = {
  ...BUNDLED,
  format: "esm",
  banner: { js: `#!/usr/bin/env node\n${REQUIRE}` },
  plugins: [LEAN_PACKAGES],
  // A third less to read at every start; `node --enable-source-maps` still shows where an error came from.
  minify: true,
  sourcemap: "linked",
};

/** What several commands need is read from files with this beginning. */
const SHARED_PARTS = "part-";

/**
 * Bundles what is run by itself: the daemons, the supervisor and what is read before every exec into one file each; the
 * programs of the CLI in parts, so that a command reads no other's.
 * esbuild is loaded here and not at the top, because it may have been installed a moment ago.
 *
 * @returns {Promise<{file: string, bytes: number}[]>}
 */
export async function buildBundles() {
  const { build } = await import("esbuild");
  const bundles = [programs(), ...singleFiles()];
  await Promise.all(
    bundles.map(async ({ options, onlyFrom, files, executable }) => {
      const built = await build({ ...options, metafile: true, write: false, absWorkingDir: CHECKOUT });
      refuseForeignCode(built.metafile, onlyFrom);
      for (const { path, contents } of built.outputFiles)
        replace(path, contents, executable && files.includes(path) ? 0o755 : 0o644);
      if (options.outdir) removeOldParts(options.outdir, built.metafile);
    }),
  );
  return bundles.flatMap(({ files }) => files).map((file) => ({ file, bytes: statSync(file).size }));
}

/** At once: somebody may be starting it. @param {string} file @param {Uint8Array} contents @param {number} mode */
function replace(file, contents, mode) {
  mkdirSync(dirname(file), { recursive: true });
  const half = `${file}.${process.pid}`;
  writeFileSync(half, contents, { mode });
  renameSync(half, file);
}

/** @param {string} folder @param {import("esbuild").Metafile} metafile */
function removeOldParts(folder, { outputs }) {
  const made = new Set(Object.keys(outputs).map((file) => basename(file)));
  for (const name of readdirSync(folder)) {
    if (name.startsWith(SHARED_PARTS) && !made.has(name)) rmSync(join(folder, name));
  }
}

/**
 * @param {import("esbuild").Metafile} metafile
 * @param {readonly string[] | undefined} onlyFrom the folders whose code may be in the bundle
 */
function refuseForeignCode(metafile, onlyFrom) {
  if (!onlyFrom) return;
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  const foreign = inputs
    .filter(
      ([file, { bytesInOutput }]) => bytesInOutput > 0 && !onlyFrom.some((folder) => file.startsWith(folder)),
    )
    .map(([file]) => file);
  if (foreign.length === 0) return;
  throw new Error(
    `only code of ${onlyFrom.join(", ")} may be in this bundle, but it has ${foreign.join(", ")}`,
  );
}

/** The programs that people start. */
function programs() {
  const cli = inCheckout("packages", "cli");
  const bin = join(cli, "src", "bin");
  const names = readdirSync(bin).filter((name) => /^[^.]+\.ts$/.test(name) && name !== LEAN);
  const outdir = join(cli, "dist");
  /** @type {import("esbuild").BuildOptions} */
  const options = {
    ...MODULES,
    entryPoints: names.map((name) => join(bin, name)),
    outdir,
    splitting: true,
    chunkNames: `${SHARED_PARTS}[hash]`,
  };
  const files = names.map((name) => join(outdir, `${basename(name, ".ts")}.js`));
  return { files, executable: true, options, onlyFrom: undefined };
}

function singleFiles() {
  const cli = inCheckout("packages", "cli");
  const sandbox = inCheckout("packages", "sandbox");
  return [
    lean(join(cli, "src", "bin", LEAN), join(cli, "dist", `${basename(LEAN, ".ts")}.cjs`)),
    daemon("sandboxd", "sandboxd.js"),
    daemon("orchestrator", "dispatcher.js"),
    daemon("server", "server.js"),
    supervisor(join(sandbox, "src", "supervisor", "main.ts"), join(sandbox, "dist", "supervisor.cjs")),
  ];
}

/** What is started detached, and stays. @param {string} packageName @param {string} name */
function daemon(packageName, name) {
  const folder = inCheckout("packages", packageName);
  const outfile = join(folder, "dist", name);
  /** @type {import("esbuild").BuildOptions} */
  const options = { ...MODULES, entryPoints: [join(folder, "src", "main.ts")], outfile };
  return { files: [outfile], executable: false, options, onlyFrom: undefined };
}

/** Small enough to be read before every exec. @param {string} entry @param {string} outfile */
function lean(entry, outfile) {
  /** @type {import("esbuild").BuildOptions} */
  const options = { ...BUNDLED, entryPoints: [entry], outfile, format: "cjs", minify: true };
  return { files: [outfile], executable: false, options, onlyFrom: LEAN_SOURCES };
}

/** Stays readable: what runs as root inside a sandbox can be looked at there. @param {string} entry @param {string} outfile */
function supervisor(entry, outfile) {
  /** @type {import("esbuild").BuildOptions} */
  const options = { ...BUNDLED, entryPoints: [entry], outfile, format: "cjs" };
  return { files: [outfile], executable: false, options, onlyFrom: SUPERVISOR_SOURCES };
}
