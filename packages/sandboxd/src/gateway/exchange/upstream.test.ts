import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bundledProgram } from "../../../../../tests/setup/bundled-program.ts";
import { certificate } from "../../egress/fixture/certificate.ts";

const folder = mkdtempSync(join(tmpdir(), "ot-upstream-"));
const trusted = join(folder, "ca.pem");

let model: Server;
let proxy: Server;
let asked: string[];
let tunnels: string[];
let connections = 0;

beforeAll(async () => {
  const pair = certificate("model.test", "localhost");
  writeFileSync(trusted, pair.cert);
  model = createTlsServer(pair, (request, response) => {
    asked.push(`${request.headers.host} ${request.headers.authorization}`);
    response.end("{}");
  });
  model.on("secureConnection", () => {
    connections += 1;
  });
  proxy = createHttpServer().on("connect", (request, client) => {
    tunnels.push(`${request.url} ${request.headers["proxy-authorization"]}`);
    const server = connect(portOf(model), "127.0.0.1");
    client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    client.pipe(server).pipe(client);
    client.on("error", () => server.destroy());
    server.on("error", () => client.destroy());
  });
  for (const server of [model, proxy])
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

beforeEach(() => {
  asked = [];
  tunnels = [];
  connections = 0;
});

afterAll(() => {
  model.close();
  proxy.close();
  rmSync(folder, { recursive: true, force: true });
});

// They listen on ports, so these are AddressInfo.
const portOf = (server: Server) => (server.address() as AddressInfo).port;

async function ask(host: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  const url = `https://${host}:${portOf(model)}/v1/messages`;
  const script = await bundledProgram(new URL("../fixture/ask-upstream.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script, url], {
    env: { PATH: process.env["PATH"], ...env },
  });
  return stdout.trim().split("\n");
}

describe("the connection to a model's API", () => {
  it("is kept for the next request, and trusts what NODE_EXTRA_CA_CERTS names", async () => {
    expect(await ask("localhost", { NODE_EXTRA_CA_CERTS: trusted })).toEqual(["200", "200"]);
    expect(asked).toHaveLength(2);
    expect(connections).toBe(1);
  });

  it("is not made to one that nobody vouches for, whatever the environment says", async () => {
    const answers = await ask("localhost", { NODE_TLS_REJECT_UNAUTHORIZED: "0" });
    expect(answers[0]).toMatch(/SELF_SIGNED|UNABLE_TO_VERIFY/);
    expect(asked).toEqual([]);
  });

  it("goes through the host's proxy, which sees a tunnel and no credential", async () => {
    const env = {
      NODE_EXTRA_CA_CERTS: trusted,
      HTTPS_PROXY: `http://user:pass@127.0.0.1:${portOf(proxy)}`,
    };
    expect(await ask("model.test", env)).toEqual(["200", "200"]);
    const login = Buffer.from("user:pass").toString("base64");
    expect(tunnels).toEqual([`model.test:${portOf(model)} Basic ${login}`]);
    expect(asked[0]).toBe(`model.test:${portOf(model)} Bearer real`);
  });

  it("to a certificate for another name is refused inside the tunnel, too", async () => {
    const env = { NODE_EXTRA_CA_CERTS: trusted, HTTPS_PROXY: `http://127.0.0.1:${portOf(proxy)}` };
    expect((await ask("other.test", env))[0]).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
    expect(asked).toEqual([]);
  });
});
