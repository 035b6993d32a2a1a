import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { atEnd } from "../at-end.ts";

/** What came to a server that nobody has to ask anything. */
export interface Stolen {
  path: string;
  /** Everything of it: the headers, of which a credential may be one, and the body. */
  text: string;
}

export interface Canary {
  url: string;
  stolen: readonly Stolen[];
}

export async function startCanary(): Promise<Canary> {
  const stolen: Stolen[] = [];
  const server = createServer((request, response) => {
    const told: Stolen = { path: `${request.method} ${request.url}`, text: request.rawHeaders.join("\n") };
    stolen.push(told);
    request.on("data", (data: Buffer) => {
      told.text += data.toString("utf8");
    });
    // Every CLI gives up at once where the model's API says so.
    request.on("end", () => response.writeHead(400).end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(() => server.close());
  // A server that listens on a port has an address with one.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stolen };
}
