import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { addArtifact } from "../../packages/orchestrator/src/state/artifacts.ts";
import type { RunningServer } from "../../packages/server/src/server.ts";
import { temporaryServer } from "../../packages/server/src/temporary-server.ts";
import { askServer } from "../setup/ask-server.ts";
import { docker } from "../setup/docker.ts";
import { plainContainer } from "../setup/plain-container.ts";
import { type ServerWorld, serverWorld } from "../setup/server-world.ts";
import { temporaryFolder, temporaryWorkspace, testUser } from "../setup/temporary-workspace.ts";

const engine = process.env["DOCKER_HOST"];
const instance = temporaryServer(engine === undefined ? {} : { DOCKER_HOST: engine });
const box = "server-attacker";
let server: RunningServer;
let world: ServerWorld;

beforeAll(async () => {
  server = await instance.start();
  const repository = temporaryFolder("attacked-");
  execFileSync("git", ["init", "-q", repository]);
  world = await serverWorld(server, repository);
});

afterAll(async () => {
  await askServer(server.url, `/sandboxes/${box}?force=true`, { method: "DELETE" });
  await instance.remove();
});

describe.skipIf(engine === undefined)("attack 27 an agent that asks the server's API from a sandbox", () => {
  const outcome = z.object({ exitCode: z.number(), stdout: z.string(), stderr: z.string() });

  async function inside(command: string, name = box): Promise<z.infer<typeof outcome>> {
    const body = { command: ["sh", "-c", command] };
    const { json } = await askServer(server.url, `/sandboxes/${name}/exec`, { method: "POST", body });
    return outcome.parse(json);
  }

  /** Prints the status of each; 000: there was no answer. */
  const attempts = (host: string, port: number, key = "") =>
    ["/loops", "/sandboxes -X POST -H content-type:application/json -d {}"]
      .map(
        (asked) =>
          `curl -s -m 10 --noproxy '*' -o /dev/null -w '%{http_code} ' -H x-api-key:${key} http://${host}:${port}${asked}`,
      )
      .join("; ");

  beforeAll(async () => {
    const body = { name: box, agent: "shell", workspaces: [{ path: temporaryWorkspace() }] };
    const made = await askServer(server.url, "/sandboxes", { method: "POST", body });
    expect(made.status, made.text).toBe(201);
  });

  test("does not reach it, nor starts another sandbox, where a plain container on the host's network does", async () => {
    const plain = await plainContainer(temporaryWorkspace(), {
      user: testUser,
      flags: ["--network", "host"],
    });
    const { stdout } = await plain.run(["sh", "-c", attempts("127.0.0.1", server.port)]);
    expect(stdout, "it is let in, and told that a sandbox needs an agent").toBe("200 400 ");
    for (const host of ["127.0.0.1", "localhost", "host.docker.internal"])
      expect((await inside(attempts(host, server.port))).stdout, host).toBe("000 000 ");
    const proxied = `curl -s -m 10 http://host.docker.internal:${server.port}/loops`;
    expect((await inside(proxied)).stdout).not.toContain('"items"');
  });

  test("with the policy open does not reach one of this machine alone, and beyond it needs a key as anybody does", async () => {
    const open = `${box}-open`;
    const body = {
      name: open,
      agent: "shell",
      workspaces: [{ path: temporaryWorkspace() }],
      network: "open",
    };
    const made = await askServer(server.url, "/sandboxes", { method: "POST", body });
    expect(made.status, made.text).toBe(201);
    try {
      const gateway = await docker(
        "network",
        "inspect",
        "bridge",
        "-f",
        "{{(index .IPAM.Config 0).Gateway}}",
      );
      expect((await inside(attempts(gateway, server.port), open)).stdout).toBe("000 000 ");
      const beyond = await instance.start({
        env: { ...instance.env, OPENTIGER_API_HOST: "0.0.0.0", OPENTIGER_API_KEY: "nobody-knows-it" },
      });
      expect((await inside(attempts(gateway, beyond.port), open)).stdout).toBe("401 401 ");
      await beyond.close();
    } finally {
      await askServer(server.url, `/sandboxes/${open}?force=true`, { method: "DELETE" });
    }
  });

  test("is refused where somebody declared the server's port as one of the host's, with a key too", async () => {
    const { json } = await askServer(server.url, "/auth/keys", { method: "POST", body: { name: "stolen" } });
    const { key } = z.object({ key: z.string() }).parse(json);
    await server.parts.place.sandboxd.ask(
      { method: "POST", path: `/sandboxes/${box}/host-ports`, body: { ports: [server.port] } },
      z.unknown(),
    );
    const asked = (headers: string) =>
      `curl -sS -m 10 --noproxy '*' ${headers} http://host.docker.internal:${server.port}/loops`;
    const host = `-H 'Host: localhost:${server.port}'`;
    expect((await inside(asked(""))).stdout).toContain('"code":"forbidden"');
    expect((await inside(asked(host))).stdout).toContain("nothing inside a sandbox may ask this server");
    expect((await inside(asked(`${host} -H 'X-API-Key: ${key}'`))).stdout).toContain('"code":"forbidden"');
  });
});

describe("attack 28 the files of a run", () => {
  const folder = () => join(server.parts.place.folder, "runs", world.run);

  async function textOf(path: string): Promise<{ status: number; text: string }> {
    const { database } = server.parts.place;
    const { id } = await addArtifact(database, {
      run: world.run,
      kind: "log",
      path,
      bytes: 1,
      keepMs: 60_000,
    });
    return askServer(server.url, `/runs/${world.run}/artifacts/${id}`);
  }

  test("are given out when they lie in its folder", async () => {
    writeFileSync(join(folder(), "verify.log"), "fine\n");
    expect(await textOf(join(folder(), "verify.log"))).toMatchObject({ status: 200, text: "fine\n" });
  });

  test("and nothing else is, whatever the table says", async () => {
    const secret = join(instance.home, "canary");
    writeFileSync(secret, "canary-of-the-host");
    symlinkSync(secret, join(folder(), "link"));
    symlinkSync(instance.home, join(folder(), "folder-link"));
    mkdirSync(join(folder(), "folder"));
    execFileSync("mkfifo", [join(folder(), "fifo")]);
    const paths = [
      secret,
      "/etc/passwd",
      join(folder(), "..", "..", "canary"),
      `${folder()}/../../canary`,
      join(folder(), "link"),
      join(folder(), "folder-link", "canary"),
      join(folder(), "folder"),
      join(folder(), "fifo"),
      join(folder(), "none"),
      "canary",
    ];
    for (const path of paths) {
      const { status, text } = await textOf(path);
      expect(status, path).toBe(404);
      expect(text).not.toContain("canary-of-the-host");
    }
  });

  test("are never taken for a page, nor is anything else that agents or users wrote", async () => {
    const script = "<script>alert(1)</script>";
    writeFileSync(join(folder(), "page.html"), script);
    const { database } = server.parts.place;
    await database.query("update tasks set title = $2 where id = $1", [world.tasks[1], script]);
    const file = { run: world.run, kind: "log", path: join(folder(), "page.html"), bytes: 1, keepMs: 60_000 };
    const { id } = await addArtifact(database, file);
    for (const path of [`/runs/${world.run}/artifacts/${id}`, `/tasks/${world.tasks[1]}`, "/nope<script>"]) {
      const { headers } = await askServer(server.url, path);
      expect(headers["content-type"], path).toMatch(/^(?:text\/plain|application\/json)/);
      expect(headers["x-content-type-options"]).toBe("nosniff");
      expect(headers["content-security-policy"]).toBe("default-src 'none'; frame-ancestors 'none'; sandbox");
    }
    const page = await askServer(server.url, `/tasks/${world.tasks[1]}`, {
      headers: { accept: "text/html" },
    });
    expect(page.text).not.toContain("alert(1)");
    expect(page.headers["content-security-policy"]).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
  });
});

test("attack 28 a WebSocket of a foreign page, of a rebinding name, or without a key is refused", async () => {
  const upgrade = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": Buffer.alloc(16).toString("base64"),
  };
  const path = `/sandboxes/${box}/terminal`;
  const ask = (headers: Record<string, string>) =>
    askServer(server.url, path, { headers: { ...upgrade, ...headers } });
  expect((await ask({ origin: "http://evil.test" })).status).toBe(403);
  expect((await ask({ host: "evil.test" })).status).toBe(403);
  expect((await ask({ "x-api-key": "nonsense" })).status).toBe(401);
});

test("attack 23 no value of a secret comes out of any route that is about secrets", async () => {
  const canary = "canary-value-0123456789";
  await askServer(server.url, "/secrets/attacked", { method: "PUT", body: { value: canary } });
  for (const path of ["/secrets", "/secrets/leases", "/audit", "/config", "/metrics"])
    expect((await askServer(server.url, path)).text, path).not.toContain(canary);
});
