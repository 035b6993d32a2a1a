import { randomBytes } from "node:crypto";
import { chmodSync, renameSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { SandboxError } from "../errors.ts";
import { dialSuffix } from "../protocol/paths.ts";

/** A supervisor that runs dials within milliseconds; one that is just being started, within a second or two. */
const defaultTimeoutMs = 10_000;

/**
 * Waits to be dialled by the supervisor: puts a socket into the sandbox's carrier folder, takes one connection and
 * removes the socket again. The folder is mounted into this one sandbox only, behind a folder that the agent
 * cannot enter, so whoever dials is the supervisor.
 */
export function dialBack(
  folder: string,
  kind: keyof typeof dialSuffix,
  options: { signal?: AbortSignal; timeoutMs?: number } = {},
): Promise<Socket> {
  const id = `${process.pid}-${randomBytes(6).toString("hex")}`;
  const hidden = join(folder, `${id}.new`);
  const path = join(folder, id + dialSuffix[kind]);
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      stop();
      resolve(socket);
    });
    const timer = setTimeout(() => fail(noDial()), options.timeoutMs ?? defaultTimeoutMs);
    options.signal?.addEventListener("abort", onAbort, { once: true });
    server.on("error", (error) => fail(error));
    server.maxConnections = 1;
    // Visible under its final name only when it listens: the supervisor dials what it sees at once.
    server.listen(hidden, () => {
      try {
        chmodSync(hidden, 0o666);
        renameSync(hidden, path);
      } catch (error) {
        fail(error);
      }
    });
    if (options.signal?.aborted) onAbort();

    function onAbort(): void {
      fail(new SandboxError("cancelled", "cancelled while waiting for the sandbox"));
    }

    function fail(error: unknown): void {
      stop();
      reject(error);
    }

    function stop(): void {
      clearTimeout(timer);
      options.signal?.removeEventListener("abort", onAbort);
      rmSync(path, { force: true });
      rmSync(hidden, { force: true });
      server.close();
    }
  });
}

function noDial(): SandboxError {
  return new SandboxError("sandbox_broken", "the sandbox's supervisor did not come within the time allowed", {
    remedy: "stop and start the sandbox, or remove it",
  });
}
