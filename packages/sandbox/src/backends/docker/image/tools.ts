import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { SandboxError } from "../../../errors.ts";
import { writeAtomically } from "../../../state/atomic-file.ts";
import type { State } from "../../../state/state.ts";
import { sentenceOf, statusOf } from "../engine/errors.ts";
import type { Place } from "../place.ts";
import type { Image } from "./image.ts";
import { withThrowaway } from "./throwaway.ts";

/** What of an image a supervisor needs, as absolute paths in folders that only root can write. */
const toolsShape = z.object({
  node: z.string().nullable(),
  nodeVersion: z.string().nullable(),
  setpriv: z.string().nullable(),
});
export type ImageTools = z.infer<typeof toolsShape>;

/** The supervisor is built for this one. */
const oldestNode = 18;

/** Looked at once for each image: the answer is kept under its id, which names its content. */
export async function findTools(place: Place, image: Image): Promise<ImageTools> {
  const path = join(cacheFolder(place.state), `${image.id.replace(/^sha256:/, "")}.json`);
  const known = readCached(path);
  if (known) return known;
  const found = await look(place, image);
  writeAtomically(path, `${JSON.stringify(found)}\n`);
  return found;
}

/** A sentence about what a sandbox of this image has to do without; undefined when it has everything. */
export function missingTools(tools: ImageTools): string | undefined {
  const missing = [
    ...(tools.node === null ? [`node ${oldestNode} or newer`] : []),
    ...(tools.setpriv === null ? ["setpriv (util-linux)"] : []),
  ];
  return missing.length > 0 ? missing.join(" and ") : undefined;
}

async function look(place: Place, image: Image): Promise<ImageTools> {
  try {
    return await withThrowaway(place, { image: image.id, script }, async (_container, output) =>
      parse(output),
    );
  } catch (error) {
    if (statusOf(error) !== 400 && statusOf(error) !== 500) throw error;
    if (!/no such file|not found|exec format/i.test(sentenceOf(error))) throw error;
    throw new SandboxError(
      "unsupported",
      `the image ${image.reference} cannot run /bin/sh: ${sentenceOf(error)}`,
      {
        remedy: "use an image for this machine that has a shell, best one made from opentiger/worker",
        cause: error,
      },
    );
  }
}

/** Folders of the agent may stand in the image's own PATH; what root runs is looked for in root's folders only. */
const script = `
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
echo "node=$(command -v node)"
echo "version=$(node --version 2>/dev/null)"
if setpriv --reuid=1000 --regid=1000 --groups=1000,61000 --inh-caps=-all --ambient-caps=-all --no-new-privs -- true; then
  echo "setpriv=$(command -v setpriv)"
fi
`;

function parse(output: string): ImageTools {
  const value = (key: string) => new RegExp(`^${key}=(.+)$`, "m").exec(output)?.[1] ?? null;
  const version = value("version");
  const major = Number(/^v(\d+)\./.exec(version ?? "")?.[1] ?? 0);
  return {
    node: major >= oldestNode ? value("node") : null,
    nodeVersion: version,
    setpriv: value("setpriv"),
  };
}

function cacheFolder(state: State): string {
  const folder = join(state.folder, "images");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

function readCached(path: string): ImageTools | undefined {
  try {
    return toolsShape.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return undefined;
  }
}
