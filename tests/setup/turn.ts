import { createServer, type Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { atEnd } from "./at-end.ts";

const retryMs = 50;

/**
 * Waits until no other test file has what there can be only one of on a machine, and has it until this file is over.
 * The kernel gives it back when a process is killed: it is a socket without a file.
 */
export async function takeTurn(what: string): Promise<void> {
  while (!(await takeIfFree(what))) await sleep(retryMs);
}

/** The same without waiting: false where another test file has it. */
export async function takeIfFree(what: string): Promise<boolean> {
  const held = await listen(`\0opentiger-test-${what}`);
  if (held) atEnd(() => held.close());
  return held !== undefined;
}

/** undefined where another one listens. */
function listen(path: string): Promise<Server | undefined> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server
      .once("listening", () => resolve(server))
      .once("error", (error: NodeJS.ErrnoException) => {
        if (error.code === "EADDRINUSE") resolve(undefined);
        else reject(error);
      });
    server.listen(path);
  });
}
