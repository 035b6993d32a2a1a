import { chmodSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { atEnd } from "./at-end.ts";
import { docker } from "./docker.ts";
import { type PlainContainer, plainContainer } from "./plain-container.ts";
import { temporaryFolder } from "./temporary-workspace.ts";
import { seldomMs, until } from "./until.ts";

/** Listens on the port inside, and passes each connection on through the socket beside it. */
const relay = `
  const { connect, createServer } = require("node:net");
  const [port, path] = process.argv.slice(1);
  createServer((inside) => {
    const outside = connect(path);
    inside.pipe(outside).pipe(inside);
    inside.on("error", () => outside.destroy());
    outside.on("error", () => inside.destroy());
  }).listen(Number(port), "127.0.0.1");`;

/**
 * A plain container that reaches servers of the test's own on this machine's loopback, at the same URLs, and nothing
 * else in the world: what an attack would send out cannot go further than that.
 */
export async function loopbackContainer(workspace: string, urls: readonly string[]): Promise<PlainContainer> {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  const flags = ["--network", "none", "--volume", `${folder}:${folder}`];
  const container = await plainContainer(workspace, { flags });
  for (const port of urls.map((url) => new URL(url).port)) {
    const path = join(folder, port);
    await passOn(path, Number(port));
    await docker("exec", "--detach", container.name, "node", "-e", relay, port, path);
    const isThere = ["sh", "-c", `grep -q "0100007F:$(printf %04X ${port}) .* 0A" /proc/net/tcp`];
    await until(
      "the port is there inside",
      async () => (await container.run(isThere)).code === 0,
      undefined,
      seldomMs,
    );
  }
  return container;
}

/** From a socket in the file system to a port of this machine. */
async function passOn(path: string, port: number): Promise<void> {
  const server = createServer((inside) => {
    const outside = connect(port, "127.0.0.1");
    inside.pipe(outside).pipe(inside);
    inside.on("error", () => outside.destroy());
    outside.on("error", () => inside.destroy());
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  chmodSync(path, 0o777);
  atEnd(() => server.close());
}
