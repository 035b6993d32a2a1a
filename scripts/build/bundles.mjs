import { chmodSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { CHECKOUT, inCheckout } from "../setup/checkout.mjs";

/** CommonJS packages inside an ES module still ask for `require`. */
const REQUIRE = `import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);`;

/**
 * Packages that dockerode loads and we never use: its ssh (ours is the user's own `ssh`) and its BuildKit sessions. They
 * would be half of each bundle, and most of the time it takes to start. @type {import("esbuild").Plugin}
 */
const WITHOUT_UNUSED_PACKAGES = {
  name: "without-unused-packages",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(ssh2|@grpc\/(grpc-js|proto-loader)|protobufjs)$/ }, ({ path }) => ({
      path,
      namespace: "unused",
    }));
    onLoad({ filter: /.*/, namespace: "unused" }, () => ({ contents: "module.exports = {};" }));
  },
};

/** What runs as root inside every sandbox is ours to the last byte. */
const SUPERVISOR_SOURCES = ["packages/sandbox/src/supervisor/", "packages/sandbox/src/protocol/"];

/** What `docker sandbox exec` starts. As CommonJS, since Node starts that in four fifths of the time. */
const LEAN = "sandbox-exec.ts";

/** No library at all: each would be read before every exec. */
const LEAN_SOURCES = ["packages/cli/src/", "packages/sandbox/src/", "packages/schema/src/errors.ts"];

/**
 * Bundles what is run by itself: each command of the CLI, the daemons and the supervisor, into one file each.
 * esbuild is loaded here and not at the top, because it may have been installed a moment ago.
 *
 * @returns {Promise<{file: string, bytes: number}[]>}
 */
export async function buildBundles() {
  const { build } = await import("esbuild");
  const bundles = entryPoints();
  await Promise.all(
    bundles.map(async ({ options, onlyFrom }) => {
      const { metafile } = await build({ ...options, metafile: true, absWorkingDir: CHECKOUT });
      refuseForeignCode(metafile, onlyFrom);
    }),
  );
  for (const { file, executable } of bundles) if (executable) chmodSync(file, 0o755);
  return bundles.map(({ file }) => ({ file, bytes: statSync(file).size }));
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

function entryPoints() {
  const cli = inCheckout("packages", "cli");
  const sandbox = inCheckout("packages", "sandbox");
  const bin = join(cli, "src", "bin");
  const commands = readdirSync(bin).filter((name) => /^[^.]+\.ts$/.test(name));
  return [
    ...commands
      .filter((name) => name !== LEAN)
      .map((name) => command(join(bin, name), join(cli, "dist", `${basename(name, ".ts")}.js`))),
    lean(join(bin, LEAN), join(cli, "dist", `${basename(LEAN, ".ts")}.cjs`)),
    daemon(
      inCheckout("packages", "sandboxd", "src", "main.ts"),
      inCheckout("packages", "sandboxd", "dist", "sandboxd.js"),
    ),
    daemon(
      inCheckout("packages", "orchestrator", "src", "main.ts"),
      inCheckout("packages", "orchestrator", "dist", "dispatcher.js"),
    ),
    daemon(
      inCheckout("packages", "server", "src", "main.ts"),
      inCheckout("packages", "server", "dist", "server.js"),
    ),
    supervisor(join(sandbox, "src", "supervisor", "main.ts"), join(sandbox, "dist", "supervisor.cjs")),
  ];
}

/** @param {string} entry @param {string} file */
function command(entry, file) {
  /** @type {import("esbuild").BuildOptions} */
  const options = {
    ...shared(entry, file),
    format: "esm",
    banner: { js: `#!/usr/bin/env node\n${REQUIRE}` },
    plugins: [WITHOUT_UNUSED_PACKAGES],
    // A third less to read at every start; `node --enable-source-maps` still shows where an error came from.
    minify: true,
    sourcemap: "linked",
  };
  return { file, executable: true, options, onlyFrom: undefined };
}

/** What is started detached, and stays. @param {string} entry @param {string} file */
function daemon(entry, file) {
  return { ...command(entry, file), executable: false };
}

/** Small enough to be read before every exec. @param {string} entry @param {string} file */
function lean(entry, file) {
  /** @type {import("esbuild").BuildOptions} */
  const options = { ...shared(entry, file), format: "cjs", minify: true };
  return { file, executable: false, options, onlyFrom: LEAN_SOURCES };
}

/** Stays readable: what runs as root inside a sandbox can be looked at there. @param {string} entry @param {string} file */
function supervisor(entry, file) {
  /** @type {import("esbuild").BuildOptions} */
  const options = { ...shared(entry, file), format: "cjs" };
  return { file, executable: false, options, onlyFrom: SUPERVISOR_SOURCES };
}

/** @param {string} entry @param {string} file */
function shared(entry, file) {
  /** @type {import("esbuild").BuildOptions} */
  const options = {
    entryPoints: [entry],
    outfile: file,
    bundle: true,
    platform: "node",
    target: "node20",
    legalComments: "none",
    logLevel: "error",
  };
  return options;
}
