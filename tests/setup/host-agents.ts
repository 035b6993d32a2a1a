import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
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
  if (!existsSync(place)) await extract(place);
  return join(place, "bin");
}

async function extract(place: string): Promise<void> {
  const half = `${place}.${process.pid}`;
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
  if (existsSync(place)) rmSync(half, { recursive: true, force: true });
  else renameSync(half, place);
  // Those of earlier images.
  for (const name of readdirSync(cache))
    if (join(cache, name) !== place) rmSync(join(cache, name), { recursive: true, force: true });
}
