import { createHash } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** Linux cuts the path of a unix socket at 107 bytes. */
const SOCKET_PATH_LIMIT = 107;
/** The longest socket path that dockerd or containerd makes below the run folder. */
const LONGEST_SOCKET = "/exec/libnetwork/0123456789ab.sock";

/**
 * @typedef {ReturnType<typeof enginePaths>} EnginePaths
 */

/** The private engine of this checkout lives here. */
const ENGINE_FOLDER = fileURLToPath(new URL("../../.cache/engine", import.meta.url));

/**
 * Every name a private engine uses, all derived from its folder: two folders never share a file, a bridge or a
 * firewall chain, and a later process finds what an earlier one started.
 *
 * @param {string} [folder]
 */
export function enginePaths(folder = ENGINE_FOLDER) {
  const root = resolve(folder);
  const hash = createHash("sha256").update(root).digest("hex");
  const inFolder = join(root, "run");
  const fits = Buffer.byteLength(inFolder + LONGEST_SOCKET) <= SOCKET_PATH_LIMIT;
  const run = fits ? inFolder : join(tmpdir(), `opentiger-engine-${hash.slice(0, 8)}`);
  return {
    root,
    run,
    runIsElsewhere: !fits,
    name: `ot${hash.slice(0, 8)}`,
    seed: Number.parseInt(hash.slice(8, 16), 16),
    socket: join(run, "docker.sock"),
    dockerHost: `unix://${join(run, "docker.sock")}`,
    execRoot: join(run, "exec"),
    containerdSocket: join(run, "containerd.sock"),
    containerdState: join(run, "containerd"),
    containerdRoot: join(root, "containerd"),
    containerdConfig: join(root, "containerd.toml"),
    containerdPid: join(root, "containerd.pid"),
    containerdLog: join(root, "containerd.log"),
    dataRoot: join(root, "data"),
    config: join(root, "dockerd.json"),
    pid: join(root, "dockerd.pid"),
    log: join(root, "dockerd.log"),
    users: join(root, "users"),
    keep: join(root, "keep"),
  };
}

/**
 * Makes the folders, closed to other users. The one below the temp dir has a name that anybody can guess, so it is
 * refused unless it is a real folder of ours.
 *
 * @param {EnginePaths} paths
 */
export function makeEngineFolders(paths) {
  mkdirSync(dirname(paths.root), { recursive: true });
  for (const folder of [paths.root, paths.users, paths.run]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }
  const run = lstatSync(paths.run);
  if (!run.isDirectory() || run.uid !== process.getuid?.()) {
    throw new Error(`${paths.run} belongs to somebody else; remove it and try again`);
  }
  chmodSync(paths.run, 0o700);
}
