import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { listenAddress } from "./listen-address.ts";
import { portTaken } from "./port-taken.ts";

test.each([undefined, "", " "])("OPENTIGER_API_HOST=%j is this machine alone", (written) => {
  expect(listenAddress({ OPENTIGER_API_HOST: written })).toEqual({ host: "127.0.0.1", port: 4301 });
});

test("what is written is where the server listens", () => {
  const env = { OPENTIGER_API_HOST: "0.0.0.0", OPENTIGER_API_PORT: "65535" };
  expect(listenAddress(env)).toEqual({ host: "0.0.0.0", port: 65_535 });
});

test.each(["65536", "-1", "0x10", "4301 ", "1e3", "http"])("OPENTIGER_API_PORT=%s is refused", (written) => {
  expect(() => listenAddress({ OPENTIGER_API_PORT: written })).toThrow(
    expect.objectContaining({ code: "config_invalid", remedy: "set it to a number from 1 to 65535" }),
  );
});

test("who has the port is asked at the address that was wanted", async () => {
  const server = createServer((_request, response) => response.end('{"status":"ok","version":"0.1.0"}'));
  server.listen(0, "127.0.0.2");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const at = (host: string) => portTaken({ host, port }, undefined);
  expect((await at("127.0.0.2")).message).toContain("an openTiger with another state folder");
  expect((await at("127.0.0.1")).message).toContain("another program");
});

test("the port that is offered instead is one", async () => {
  const { remedy } = await portTaken({ host: "127.0.0.1", port: 65_535 }, undefined);
  expect(remedy).toContain("OPENTIGER_API_PORT=65534");
});
