import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { withLock } from "../../scripts/engine/lock.mjs";
import { docker, removeContainer, workerImage } from "./docker.ts";

const cache = fileURLToPath(new URL("../../.cache/host-agents", import.meta.url));

const agents = {
  claude: { folder: "@anthropic-ai", command: "@anthropic-ai/claude-code/bin/claude.exe" },
  codex: { folder: "@openai", command: "@openai/codex/bin/codex.js" },
  opencode: { folder: "opencode-ai", command: "opencode-ai/bin/opencode.exe" },
};

/**
 * A folder for PATH with the three agent CLIs, for runs on the host: the very files of the worker image, so that both
 * modes drive the same versions and nothing is downloaded twice.
 */
export async function hostAgents(): Promise<string> {
  const image = await docker("image", "inspect", "--format", "{{.Id}}", workerImage);
  const place = join(cache, image.replace("sha256:", "").slice(0, 12));
  // Files of a suite that begin together would copy a gigabyte each, and take each other's half away.
  await withLock(`host-agents-${basename(place)}`, async () => {
    if (!existsSync(place)) await extract(place);
  });
  return join(place, "bin");
}

async function extract(place: string): Promise<void> {
  // Those of earlier images, and what was left half done.
  rmSync(cache, { recursive: true, force: true });
  const half = `${place}.half`;
  mkdirSync(join(half, "bin"), { recursive: true });
  const container = await docker("create", "--network", "none", workerImage);
  try {
    for (const [name, { folder, command }] of Object.entries(agents)) {
      await docker("cp", "-q", `${container}:/usr/local/lib/node_modules/${folder}`, half);
      symlinkSync(join("..", command), join(half, "bin", name));
    }
  } finally {
    await removeContainer(container);
  }
  renameSync(half, place);
}
