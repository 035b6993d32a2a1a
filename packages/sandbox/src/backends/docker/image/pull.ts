import type Docker from "dockerode";
import { z } from "zod";
import { SandboxError } from "../../../errors.ts";
import type { CreateOptions } from "../../../sandbox.ts";
import { sentenceOf, statusOf } from "../engine/errors.ts";
import { registryLogin } from "./registry-login.ts";

/** One line of the engine's account of a pull. */
const pullEvent = z.object({
  status: z.string().optional(),
  id: z.string().optional(),
  progress: z.string().optional(),
  error: z.string().optional(),
});

const engineInfo = z.object({ IndexServerAddress: z.string() });

/** Fetches an image, telling of every layer as it starts and ends. */
export async function pullImage(
  docker: Docker,
  reference: string,
  options: Pick<CreateOptions, "onProgress" | "signal">,
): Promise<void> {
  options.onProgress?.(`pulling ${reference}`);
  try {
    const { IndexServerAddress } = engineInfo.parse(await docker.info());
    const authconfig = await registryLogin(reference, IndexServerAddress);
    const stream = await docker.createImage({
      fromImage: withTag(reference),
      ...(authconfig ? { authconfig } : {}),
      ...(options.signal ? { abortSignal: options.signal } : {}),
    });
    await follow(docker, stream, options.onProgress);
  } catch (error) {
    if (options.signal?.aborted) throw new SandboxError("cancelled", `cancelled while pulling ${reference}`);
    if (error instanceof Error && "syscall" in error && statusOf(error) === undefined) throw error;
    throw new SandboxError(
      "image_missing",
      `${reference} is not here and could not be pulled: ${sentenceOf(error)}`,
      {
        remedy:
          "check the name, the network, and `docker login`; or build the worker image: opentiger image build",
        cause: error,
      },
    );
  }
}

/** Without a tag the engine would fetch every one there is. */
function withTag(reference: string): string {
  return /(:[^:/]+|@[^@]+)$/.test(reference) ? reference : `${reference}:latest`;
}

function follow(
  docker: Docker,
  stream: NodeJS.ReadableStream,
  onProgress?: (line: string) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let failure: string | undefined;
    const onEvent = (value: unknown) => {
      const event = pullEvent.safeParse(value);
      if (!event.success) return;
      const { status, id, progress, error } = event.data;
      if (error) failure = error;
      // Bytes come many times a second; what a person wants to read are the steps.
      else if (status && !progress) onProgress?.(id ? `${id}: ${status}` : status);
    };
    docker.modem.followProgress(
      stream,
      (error: Error | null) => {
        if (error ?? failure) reject(error ?? new Error(failure));
        else resolve();
      },
      onEvent,
    );
  });
}
