import { randomBytes } from "node:crypto";
import {
  chmodSync,
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { errno } from "@opentiger/schema";
import type Docker from "dockerode";
import { extract } from "tar-stream";
import { SandboxError } from "../../../errors.ts";
import { insidePaths } from "../../../protocol/paths.ts";
import type { Place } from "../place.ts";
import type { Image } from "./image.ts";
import { withThrowaway } from "./throwaway.ts";
import type { ImageTools } from "./tools.ts";

/** Where the copies lie inside, on a read-only mount. */
export const insideTools = "/opt/opentiger/tools";

/** node, setpriv and, where it has one, the spawner, with every library they load: no agent can change them. */
export interface RootTools {
  folder: string;
  node: string[];
  setpriv: string[];
}

/**
 * Copies the tools of an image out of it, once for each image, for sandboxes whose agent is root. They are started
 * through their own loader, so that not even the libraries come from where that agent could write.
 */
export async function rootTools(place: Place, image: Image, tools: ImageTools): Promise<RootTools> {
  const { node, setpriv } = tools;
  if (node === null || setpriv === null) throw unsupported(image, "it has no node or no setpriv");
  const folder = join(place.state.folder, "tools", image.id.replace(/^sha256:/, ""));
  if (!existsSync(folder)) {
    const run = { image: image.id, script: listFiles(node, setpriv) };
    await withThrowaway(place, run, (container, output) => copyOut(container, output, folder, image));
  }
  const loader = readdirSync(join(folder, "lib")).find((name) => name.startsWith("ld-"));
  if (loader === undefined) throw unsupported(image, "its loader was not found");
  const start = [`${insideTools}/lib/${loader}`, "--library-path", `${insideTools}/lib`];
  return {
    folder,
    node: [...start, `${insideTools}/bin/node`],
    setpriv: [...start, `${insideTools}/bin/setpriv`],
  };
}

function listFiles(node: string, setpriv: string): string {
  return `
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
echo "bin/node $(readlink -f ${node})"
echo "bin/setpriv $(readlink -f ${setpriv})"
if [ -x ${insidePaths.spawner} ]; then echo "bin/spawner ${insidePaths.spawner}"; fi
{ ldd ${node}; ldd ${setpriv}; } | while read -r first second third rest; do
  case "$first" in /*) path=$first ;; *) path=$third ;; esac
  if [ -f "$path" ]; then echo "lib/\${path##*/} $(readlink -f "$path")"; fi
done
`;
}

async function copyOut(
  container: Docker.Container,
  output: string,
  folder: string,
  image: Image,
): Promise<void> {
  const files = new Map(output.split("\n").flatMap((line) => entry(line)));
  if (![...files.keys()].some((name) => name.startsWith("lib/ld-")))
    throw unsupported(image, "ldd did not answer in it");
  const temporary = `${folder}.${randomBytes(4).toString("hex")}.tmp`;
  try {
    mkdirSync(join(temporary, "bin"), { recursive: true });
    mkdirSync(join(temporary, "lib"));
    for (const [name, path] of files) await copyFile(container, path, join(temporary, name));
    chmodSync(temporary, 0o755);
    renameSync(temporary, folder);
  } catch (error) {
    // Another process was faster: its copies are the same.
    if (errno(error) !== "ENOTEMPTY" && errno(error) !== "EEXIST") throw error;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** What an image prints is not trusted: only plain names land in our folder. */
function entry(line: string): [string, string][] {
  const [, name, path] = /^((?:bin|lib)\/[A-Za-z0-9_.+-]+) (\/\S+)$/.exec(line) ?? [];
  return name === undefined || path === undefined ? [] : [[name, path]];
}

async function copyFile(container: Docker.Container, path: string, target: string): Promise<void> {
  const archive = await container.getArchive({ path });
  const files = extract();
  let copied = false;
  files.on("entry", (header, stream, next) => {
    if (header.type !== "file" || copied) {
      stream.resume();
      stream.once("end", next);
      return;
    }
    copied = true;
    pipeline(stream, createWriteStream(target, { mode: 0o555 })).then(() => next(), next);
  });
  await pipeline(archive, files);
  if (!copied) throw new Error(`${path} is not a file in the image`);
}

function unsupported(image: Image, why: string): SandboxError {
  return new SandboxError(
    "unsupported",
    `a workspace that belongs to root needs its own copy of the tools in ${image.reference}, and ${why}`,
    { remedy: "use --clone, or give the folder to another user, or use the worker image" },
  );
}
