import { connect as connectSocket, type Socket } from "node:net";

/** A port: the one way in which a socket to the outside is opened, with an address and never with a name. */
export type Connect = (to: { address: string; port: number }) => Socket;

/** As much as a fast link holds while the other side is busy. */
const socketBufferBytes = 256 * 1024;

export const connectDirectly: Connect = ({ address, port }) => {
  // A variable, because the types do not know that a socket hands its options on to the stream.
  const options = {
    host: address,
    port,
    allowHalfOpen: true,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 60_000,
    highWaterMark: socketBufferBytes,
  };
  return connectSocket(options);
};

/** As long as a person waits for a host that does not answer. */
const connectTimeoutMs = 10_000;

/** After this long the next address is tried beside the one that has not answered yet (RFC 8305). */
const staggerMs = 250;

/** The first of the given addresses that answers; no other address is ever tried. */
export function connectFirst(
  connect: Connect,
  addresses: readonly string[],
  port: number,
  signal: AbortSignal,
): Promise<{ socket: Socket; address: string }> {
  return new Promise((resolve, reject) => {
    const waiting = [...addresses];
    const attempts = new Set<Socket>();
    let lastError: Error = new Error("there is no address");
    let stagger: NodeJS.Timeout | undefined;
    const deadline = setTimeout(() => finish(() => reject(new Error("timed out"))), connectTimeoutMs);
    const onAbort = () => finish(() => reject(new Error("cancelled")));
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) return onAbort();
    tryNext();

    function tryNext(): void {
      clearTimeout(stagger);
      const address = waiting.shift();
      if (address === undefined) {
        if (attempts.size === 0) finish(() => reject(lastError));
        return;
      }
      const socket = connect({ address, port });
      attempts.add(socket);
      const onError = (error: Error) => {
        lastError = error;
        attempts.delete(socket);
        tryNext();
      };
      socket.once("error", onError);
      socket.once("connect", () => {
        attempts.delete(socket);
        socket.off("error", onError);
        finish(() => resolve({ socket, address }));
      });
      stagger = setTimeout(tryNext, staggerMs);
    }

    function finish(settle: () => void): void {
      clearTimeout(deadline);
      clearTimeout(stagger);
      signal.removeEventListener("abort", onAbort);
      waiting.length = 0;
      for (const socket of attempts)
        socket
          .removeAllListeners()
          .on("error", () => {})
          .destroy();
      attempts.clear();
      settle();
    }
  });
}
