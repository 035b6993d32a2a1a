import { createServer } from "node:net";
import { expect, it } from "vitest";
import { endFile } from "./at-end.ts";
import { freePort } from "./free-port.ts";
import { takeIfFree } from "./turn.ts";

it("a port is given once, can be listened on, and is not one that the kernel gives to others", async () => {
  const ports = await Promise.all(Array.from({ length: 20 }, freePort));
  expect(new Set(ports).size).toBe(20);
  for (const port of ports) {
    expect(port).toBeLessThan(32_768);
    expect(await takeIfFree(`port-${port}`)).toBe(false);
  }
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(ports[0], "127.0.0.1", resolve));
  server.close();
  await endFile();
  expect(await takeIfFree(`port-${ports[0]}`)).toBe(true);
});
