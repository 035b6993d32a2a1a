import { randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { connectEngine, defaultHome } from "@opentiger/sandbox";

/** Writes an image to a tar file, as `docker save -o` does: the whole of it, or no file at all. */
export async function exportImage(
  image: string,
  path: string,
  engine: { env: NodeJS.ProcessEnv; context: string | undefined },
  signal: AbortSignal,
): Promise<void> {
  const { env, context } = engine;
  const { docker } = connectEngine({
    env,
    home: defaultHome(env),
    ...(context === undefined ? {} : { context }),
  });
  const temporary = `${path}.${randomBytes(4).toString("hex")}.tmp`;
  try {
    await pipeline(await docker.getImage(image).get(), createWriteStream(temporary, { flags: "wx" }), {
      signal,
    });
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}
