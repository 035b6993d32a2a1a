import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { atEnd } from "../../setup/at-end.ts";

const piece = Buffer.alloc(1024 * 1024, "0123456789abcdef");

/** Says what it was asked; gives and takes large bodies. */
export async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === "PUT") return void response.end(await digest(request));
  const large = /\/large\/(\d+)$/.exec(request.url ?? "")?.[1];
  if (large) return pour(response, Number(large));
  response.end(`${request.headers.host} ${request.url}`);
}

export async function digest(body: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of body) hash.update(chunk);
  return hash.digest("hex");
}

async function pour(response: ServerResponse, size: number): Promise<void> {
  for await (const chunk of largeBody(size)) {
    if (!response.write(chunk)) await new Promise((resolve) => response.once("drain", resolve));
  }
  response.end();
}

/** So many megabytes. */
export async function* largeBody(size: number): AsyncIterable<Buffer> {
  for (let sent = 0; sent < size; sent += 1) yield piece;
}

/** A server on this machine's loopback, by its port. */
export async function hostServer(says: string): Promise<number> {
  const server = createServer((_request, response) => response.end(says));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return typeof address === "object" && address ? address.port : 0;
}
