import { connect, createServer } from "node:net";

/** The engine under test behind a port of loopback, where no socket can be shared with it. */
export async function farEngine(): Promise<{ dockerHost: string; close(): void }> {
  const path = (process.env["DOCKER_HOST"] ?? "unix:///var/run/docker.sock").replace("unix://", "");
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const engine = connect({ path, allowHalfOpen: true });
    client.pipe(engine).pipe(client);
    client.on("error", () => engine.destroy());
    engine.on("error", () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("no port to listen on");
  return { dockerHost: `tcp://127.0.0.1:${address.port}`, close: () => void server.close() };
}
