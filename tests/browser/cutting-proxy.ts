import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { atEnd } from "../setup/at-end.ts";

export interface CuttingProxy {
  url: string;
  /**
   * The next request that begins with these words is heard and done, and its connection lost within the answer. A browser
   * that has heard nothing yet would ask again by itself.
   */
  cut(words: string): void;
  /** How many were cut. */
  count(): number;
}

/** In front of a server, byte by byte. */
export async function cuttingProxy(serverUrl: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(serverUrl);
  let next: string | undefined;
  let count = 0;
  const open = new Set<Socket>();
  const proxy = createServer((browser) => {
    const server = connect(Number(port), hostname);
    for (const socket of [browser, server]) {
      open.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => open.delete(socket));
    }
    browser.on("data", (data: Buffer) => {
      if (next !== undefined && data.toString("latin1").startsWith(next)) {
        next = undefined;
        server.removeAllListeners("data");
        server.once("data", (answer: Buffer) => {
          count += 1;
          browser.end(answer.subarray(0, -1));
        });
      }
      server.write(data);
    });
    server.on("data", (data: Buffer) => browser.write(data));
    browser.on("close", () => server.end());
    server.on("close", () => browser.destroy());
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  atEnd(() => {
    for (const socket of open) socket.destroy();
    proxy.close();
  });
  const { port: own } = proxy.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${own}`,
    cut: (words) => {
      next = words;
    },
    count: () => count,
  };
}
