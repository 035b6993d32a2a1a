import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { RunningServer } from "../../packages/server/src/server.ts";
import { temporaryServer } from "../../packages/server/src/temporary-server.ts";
import { anotherMachine, canHaveAnotherMachine } from "../setup/another-machine.ts";
import { askServer, type ServerQuestion } from "../setup/ask-server.ts";

const instance = temporaryServer();
let server: RunningServer;
/** The same instance, where a key is always asked for. */
let strict: RunningServer;
let key: string;
let revoked: string;

const madeKey = z.object({ id: z.string(), key: z.string() });

beforeAll(async () => {
  server = await instance.start();
  strict = await instance.start({
    env: { ...instance.env, OPENTIGER_ALLOW_INSECURE_SYSTEM_CONTROL: "false" },
  });
  key = (await newKey("first")).key;
  const second = await newKey("second");
  await askServer(server.url, `/auth/keys/${second.id}`, { method: "DELETE" });
  revoked = second.key;
});

afterAll(() => instance.remove());

async function newKey(name: string): Promise<z.infer<typeof madeKey>> {
  const { json } = await askServer(server.url, "/auth/keys", { method: "POST", body: { name } });
  return madeKey.parse(json);
}

/**
 * What each means for a request that controls the system. `strict`: with OPENTIGER_ALLOW_INSECURE_SYSTEM_CONTROL=false, and
 * from any other machine.
 */
const table: { name: string; headers: () => Record<string, string>; usual: number; strict: number }[] = [
  { name: "no credential, from this machine", headers: () => ({}), usual: 200, strict: 401 },
  { name: "X-API-Key", headers: () => ({ "x-api-key": key }), usual: 200, strict: 200 },
  {
    name: "Authorization: Bearer",
    headers: () => ({ authorization: `Bearer ${key}` }),
    usual: 200,
    strict: 200,
  },
  { name: "a key that is none", headers: () => ({ "x-api-key": "nonsense" }), usual: 401, strict: 401 },
  { name: "an empty key", headers: () => ({ "x-api-key": "" }), usual: 401, strict: 401 },
  { name: "a bearer that is none", headers: () => ({ authorization: "Bearer x" }), usual: 401, strict: 401 },
  { name: "another scheme", headers: () => ({ authorization: "Basic eDp5" }), usual: 401, strict: 401 },
  {
    name: "a key with another secret",
    headers: () => ({ "x-api-key": otherSecret(key) }),
    usual: 401,
    strict: 401,
  },
  { name: "a key that was revoked", headers: () => ({ "x-api-key": revoked }), usual: 401, strict: 401 },
  { name: "a rebinding Host", headers: () => ({ host: "evil.test" }), usual: 403, strict: 403 },
  {
    name: "a rebinding Host, with a key",
    headers: () => ({ host: "evil.test", "x-api-key": key }),
    usual: 403,
    strict: 403,
  },
  { name: "a foreign Origin", headers: () => ({ origin: "http://evil.test" }), usual: 403, strict: 403 },
  {
    name: "the Origin of another port",
    headers: () => ({ origin: "http://127.0.0.1:3000" }),
    usual: 403,
    strict: 403,
  },
  { name: "a page without an origin", headers: () => ({ origin: "null" }), usual: 403, strict: 403 },
  {
    name: "a foreign Origin, with a key",
    headers: () => ({ origin: "http://evil.test", "x-api-key": key }),
    usual: 403,
    strict: 403,
  },
  {
    name: "a browser's cross-site request",
    headers: () => ({ "sec-fetch-site": "cross-site" }),
    usual: 403,
    strict: 403,
  },
  {
    name: "what came through a proxy",
    headers: () => ({ "x-forwarded-for": "203.0.113.9" }),
    usual: 401,
    strict: 401,
  },
  {
    name: "what came through a proxy, with a key",
    headers: () => ({ "x-forwarded-for": "203.0.113.9", "x-api-key": key }),
    usual: 200,
    strict: 200,
  },
];

const asked: { what: string; path: string; question: ServerQuestion }[] = [
  { what: "a look", path: "/system/processes", question: {} },
  { what: "a start", path: "/system/processes/worker-1/start", question: { method: "POST" } },
  { what: "a change of settings", path: "/config", question: { method: "PATCH", body: {} } },
  { what: "a list of loops", path: "/loops", question: {} },
  { what: "a login", path: "/system/claude/auth?environment=host", question: {} },
  { what: "the engine", path: "/system/docker", question: {} },
];

describe("A15 attack 28 system control", () => {
  describe.each(table)("with $name", ({ headers, usual, strict: always }) => {
    test.each(asked)("$what", async ({ path, question }) => {
      expect((await askServer(server.url, path, { ...question, headers: headers() })).status).toBe(usual);
      expect((await askServer(strict.url, path, { ...question, headers: headers() })).status).toBe(always);
    });
  });

  test.skipIf(process.getuid?.() !== 0)(
    "of another user of this machine is refused without a key",
    async () => {
      expect(await statusAs(65_534, {})).toBe(401);
      expect(await statusAs(65_534, { "x-api-key": key })).toBe(200);
      expect(await statusAs(0, {})).toBe(200);
    },
  );

  test("anybody may ask whether it runs, and nobody under another name", async () => {
    expect((await askServer(strict.url, "/health")).status).toBe(200);
    expect((await askServer(strict.url, "/health", { headers: { host: "evil.test" } })).status).toBe(403);
    expect((await askServer(strict.url, "/health/ready")).status).toBe(401);
  });

  test("beyond this machine the server does not start without a key", async () => {
    const fresh = temporaryServer();
    try {
      await expect(fresh.start({ host: "0.0.0.0" })).rejects.toMatchObject({ code: "key_required" });
    } finally {
      await fresh.remove();
    }
  });
});

describe.skipIf(!canHaveAnotherMachine)("A15 system control over a network", () => {
  let machine: Awaited<ReturnType<typeof anotherMachine>>;
  /** The same server as this machine calls it, and as others do. */
  let near: string;
  let far: string;
  let lenient: string;

  beforeAll(async () => {
    machine = await anotherMachine();
    const { port } = await instance.start({ host: "0.0.0.0" });
    near = `http://127.0.0.1:${port}`;
    far = `http://${machine.here}:${port}`;
    const env = {
      ...instance.env,
      OPENTIGER_API_HOST: "0.0.0.0",
      OPENTIGER_API_KEY: "from-the-environment",
      OPENTIGER_ALLOWED_HOSTS: "elsewhere.test, Tiger.test",
    };
    lenient = `http://${machine.here}:${(await instance.start({ env })).port}`;
  });

  test("from another machine is for those with a key alone", async () => {
    const rows = table.flatMap((row) => asked.map((each) => ({ ...row, ...each })));
    const statuses = await machine.ask(
      rows.map(({ path, question, headers }) => ({ ...question, url: far + path, headers: headers() })),
    );
    const answered = rows.map(({ name, what }, index) => ({ name, what, status: statuses[index] }));
    expect(answered).toEqual(rows.map(({ name, what, strict: status }) => ({ name, what, status })));
  });

  test("of this machine is trusted on its loopback alone, at both ends", async () => {
    expect((await askServer(near, "/loops")).status).toBe(200);
    expect((await askServer(far, "/loops")).status).toBe(401);
    expect((await askServer(far, "/loops", { from: "127.0.0.1" })).status).toBe(401);
  });

  test("by a browser that logged in on this machine is for this machine alone, whoever has seen its cookie", async () => {
    const [here, elsewhere] = [await sessionAt(near), await sessionAt(far)];
    expect((await askServer(near, "/loops", { headers: here })).status).toBe(200);
    const proxied = { ...here, "x-forwarded-for": "203.0.113.9" };
    expect((await askServer(near, "/loops", { headers: proxied })).status).toBe(401);
    const asks = [here, elsewhere].map((headers) => ({ url: `${far}/loops`, headers }));
    expect(await machine.ask(asks)).toEqual([401, 200]);
  });

  test("listens where OPENTIGER_API_HOST says, for OPENTIGER_API_KEY, under OPENTIGER_ALLOWED_HOSTS", async () => {
    const own = { "x-api-key": "from-the-environment" };
    const asks = [
      { url: `${lenient}/loops`, headers: {}, status: 401 },
      { url: `${lenient}/loops`, headers: own, status: 200 },
      { url: `${lenient}/loops`, headers: { authorization: "Bearer from-the-environment" }, status: 200 },
      { url: `${lenient}/loops`, headers: { "x-api-key": "from-the-environment2" }, status: 401 },
      { url: `${lenient}/loops`, headers: { ...own, host: "tiger.test:4301" }, status: 200 },
      { url: `${lenient}/loops`, headers: { ...own, host: "nottiger.test" }, status: 403 },
      { url: `${lenient}/loops`, headers: { host: "tiger.test" }, status: 401 },
      { url: `${far}/loops`, headers: own, status: 401 },
      { url: `${far}/loops`, headers: { "x-api-key": key, host: "tiger.test" }, status: 403 },
    ];
    expect(await machine.ask(asks)).toEqual(asks.map(({ status }) => status));
  });
});

describe("a key", () => {
  test("is shown once, and kept as a hash alone", async () => {
    const { text } = await askServer(server.url, "/auth/keys");
    expect(text).toContain('"first"');
    expect(text).not.toContain(key);
    const { rows } = await server.parts.place.database.query("select t::text from api_keys t");
    expect(JSON.stringify(rows)).not.toContain(key.split("_").at(-1));
  });

  test("has a name that no other has", async () => {
    const { status } = await askServer(server.url, "/auth/keys", { method: "POST", body: { name: "first" } });
    expect(status).toBe(409);
  });

  test("says when it was last used", async () => {
    await askServer(server.url, "/loops", { headers: { "x-api-key": key } });
    const { json } = await askServer(server.url, "/auth/keys");
    expect(json).toMatchObject({ items: [{ name: "first", usedAt: expect.any(String) }] });
  });
});

function cookieOf(header: unknown): string {
  return z.array(z.string()).min(1).parse(header)[0] ?? "";
}

/** What a browser sends that has logged in there. */
async function sessionAt(url: string): Promise<{ cookie: string }> {
  const made = await askServer(url, "/auth/links", { method: "POST", headers: { "x-api-key": key } });
  const token = new URL(z.object({ url: z.url() }).parse(made.json).url).hash.slice(1);
  const { headers } = await askServer(url, "/auth/session", { method: "POST", body: { token } });
  return { cookie: cookieOf(headers["set-cookie"]).split(";")[0] ?? "" };
}

describe("a login link", () => {
  test("logs a browser in once, with a cookie that scripts do not see and other sites do not send", async () => {
    const made = await askServer(strict.url, "/auth/links", {
      method: "POST",
      headers: { "x-api-key": key },
    });
    const { url } = z.object({ url: z.url() }).parse(made.json);
    const token = new URL(url).hash.slice(1);
    const origin = { origin: strict.url };
    const login = { method: "POST", body: { token }, headers: origin };
    const first = await askServer(strict.url, "/auth/session", login);
    expect(first.status).toBe(200);
    const cookie = cookieOf(first.headers["set-cookie"]);
    expect(cookie).toMatch(/; HttpOnly; SameSite=Strict$/);
    const session = { cookie: cookie.split(";")[0] ?? "" };
    expect((await askServer(strict.url, "/loops", { headers: session })).status).toBe(200);
    expect((await askServer(strict.url, "/auth/session", login)).status).toBe(401);

    const foreign = { ...session, origin: "http://evil.test" };
    const post = { method: "POST", headers: foreign };
    expect((await askServer(strict.url, "/system/processes/stop-all", post)).status).toBe(403);
    const out = await askServer(strict.url, "/auth/session", {
      method: "DELETE",
      headers: { ...session, ...origin },
    });
    expect(out.status).toBe(200);
    expect((await askServer(strict.url, "/loops", { headers: session })).status).toBe(401);
  });

  test("is over when its time is, and so are the session that it gave, and a key", async () => {
    const expire = (id: string) =>
      server.parts.place.database.query(
        "update api_keys set expires_at = now() - interval '1 second' where id = $1",
        [id],
      );
    const idOf = (token: string) => token.split("_")[1] ?? "";
    const expiring = await newKey("expiring");
    const ask = (headers: Record<string, string>) => askServer(strict.url, "/loops", { headers });
    const byKey = { "x-api-key": expiring.key };
    expect((await ask(byKey)).status).toBe(200);
    const newLink = async () => {
      const { json } = await askServer(strict.url, "/auth/links", { method: "POST", headers: byKey });
      return new URL(z.object({ url: z.url() }).parse(json).url).hash.slice(1);
    };
    const login = (token: string) =>
      askServer(strict.url, "/auth/session", { method: "POST", body: { token } });
    const late = await newLink();
    await expire(idOf(late));
    expect((await login(late)).status).toBe(401);
    const cookie = cookieOf((await login(await newLink())).headers["set-cookie"]).split(";")[0] ?? "";
    expect((await ask({ cookie })).status).toBe(200);
    await expire(idOf(cookie.split("=")[1] ?? ""));
    expect((await ask({ cookie })).status).toBe(401);
    await expire(expiring.id);
    expect((await ask(byKey)).status).toBe(401);
  });

  test("is not good as a key, nor a key as a link", async () => {
    const { json } = await askServer(server.url, "/auth/links", { method: "POST" });
    const token = new URL(z.object({ url: z.url() }).parse(json).url).hash.slice(1);
    expect((await askServer(server.url, "/loops", { headers: { "x-api-key": token } })).status).toBe(401);
    const login = { method: "POST", body: { token: key } };
    expect((await askServer(server.url, "/auth/session", login)).status).toBe(401);
  });
});

describe("the audit", () => {
  test("has a row for what was done and for what was refused, without what stood in the request", async () => {
    const canary = "sk-ant-api03-canary-0123456789abcdef";
    await askServer(server.url, "/config", {
      method: "PATCH",
      headers: { "x-api-key": key },
      body: { OPENTIGER_REWORKS: canary },
    });
    await askServer(server.url, `/secrets/${canary}`, { method: "PUT", body: { value: canary } });
    await askServer(server.url, "/config", {
      method: "PATCH",
      headers: { "x-api-key": "nonsense" },
      body: {},
    });
    const { json, text } = await askServer(server.url, "/audit?limit=3");
    expect(json).toMatchObject({
      items: [
        { who: "nobody", action: "PATCH (refused)", target: "/config", status: 401 },
        { who: "local", action: "PUT /secrets/{name}", status: 400, target: "(a secret)" },
        {
          who: expect.stringMatching(/^key first/),
          action: "PATCH /config",
          status: 400,
          address: "127.0.0.1",
        },
      ],
    });
    expect(text).not.toContain(canary);
  });

  test("calls what was done by its route, whatever stood in the path", async () => {
    const task = "00000000-0000-4000-8000-000000000000";
    const asked = [
      { method: "POST", path: `/tasks/${task}/messages`, action: "POST /tasks/{id}/messages" },
      { method: "DELETE", path: "/secrets/mytoken1", action: "DELETE /secrets/{name}" },
      { method: "POST", path: "/system/processes/stop-all", action: "POST /system/processes/stop-all" },
      { method: "POST", path: "/nothing1", action: "POST (no such route)" },
    ];
    for (const { method, path } of asked) await askServer(server.url, path, { method });
    const { json } = await askServer(server.url, `/audit?limit=${asked.length}`);
    expect(json).toMatchObject({
      items: asked.map(({ path, action }) => ({ action, target: path })).toReversed(),
    });
  });
});

function otherSecret(text: string): string {
  return text.slice(0, -1) + (text.endsWith("A") ? "B" : "A");
}

/** The status that a process of this user is answered. */
async function statusAs(uid: number, headers: Record<string, string>): Promise<number> {
  const asked = JSON.stringify(`${server.url}/loops`);
  const script = `require("node:http").get(${asked}, { headers: ${JSON.stringify(headers)} }, (answer) => {
    console.log(answer.statusCode);
    process.exit();
  })`;
  const { stdout } = await promisify(execFile)(process.execPath, ["-e", script], { uid, gid: uid, cwd: "/" });
  return Number(stdout);
}
