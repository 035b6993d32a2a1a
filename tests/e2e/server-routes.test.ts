import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { apiClient } from "../../packages/server/src/client.ts";
import type { RunningServer } from "../../packages/server/src/server.ts";
import { temporaryServer } from "../../packages/server/src/temporary-server.ts";
import { askServer, type ServerAnswer, type ServerQuestion } from "../setup/ask-server.ts";
import { type ServerWorld, serverWorld } from "../setup/server-world.ts";
import { temporaryFolder, temporaryWorkspace } from "../setup/temporary-workspace.ts";

const engine = process.env["DOCKER_HOST"];
const instance = temporaryServer(engine === undefined ? {} : { DOCKER_HOST: engine });
const none = "00000000-0000-4000-8000-000000000000";
const box = "routes-box";
const plan = { summary: "s", tasks: [] };

let server: RunningServer;
let engineless: RunningServer;
let world: ServerWorld;
let repository: string;
let workspace: string;
let keyId: string;

const document = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) });

beforeAll(async () => {
  server = await instance.start();
  engineless = await instance.start({
    env: { ...instance.env, DOCKER_HOST: `unix://${instance.home}/none.sock` },
  });
  repository = temporaryFolder("routes-");
  execFileSync("git", ["init", "-q", repository]);
  world = await serverWorld(server, repository);
  workspace = temporaryWorkspace();
  const made = await askServer(server.url, "/auth/keys", { method: "POST", body: { name: "mine" } });
  keyId = z.object({ id: z.string() }).parse(made.json).id;
});

afterAll(async () => {
  await askServer(server.url, `/sandboxes/${box}?force=true`, { method: "DELETE" });
  await instance.remove();
});

interface Call {
  path: string | (() => string);
  body?: unknown;
  status: number;
  headers?: Record<string, string>;
  /** Of a stream only the head is looked at. */
  stream?: true;
  /** Asked of a server without an engine: nothing is built by a test that asks for it. */
  engineless?: true;
}

interface Row {
  route: string;
  good: Call;
  bad: Call;
  /** Where it needs a real sandbox. */
  engine?: true;
}

const loop =
  (rest = "") =>
  () =>
    `/loops/${world.loop}${rest}`;
const task =
  (index: 0 | 1 | 2, rest = "") =>
  () =>
    `/tasks/${world.tasks[index]}${rest}`;
const run =
  (rest = "") =>
  () =>
    `/runs/${world.run}${rest}`;
const onBox = (rest = "") => `/sandboxes/${box}${rest}`;
const noBox = (rest = "") => `/sandboxes/nobody${rest}`;
const story = "- [ ] Add a thing\n";

/** Every route, once as it should be asked and once as it should not, in an order in which each finds what it needs. */
const table: Row[] = [
  {
    route: "GET /health",
    good: { path: "/health", status: 200 },
    bad: { path: "/health", headers: { host: "evil.test" }, status: 403 },
  },
  {
    route: "GET /health/ready",
    good: { path: "/health/ready", status: 200 },
    bad: { path: "/health/ready", headers: { "x-api-key": "x" }, status: 401 },
  },
  {
    route: "GET /metrics",
    good: { path: "/metrics", status: 200 },
    bad: { path: "/metrics", headers: { "x-api-key": "x" }, status: 401 },
  },
  {
    route: "GET /auth/me",
    good: { path: "/auth/me", status: 200 },
    bad: { path: "/auth/me", headers: { authorization: "x" }, status: 401 },
  },
  {
    route: "GET /auth/keys",
    good: { path: "/auth/keys", status: 200 },
    bad: { path: "/auth/keys", headers: { origin: "null" }, status: 403 },
  },
  {
    route: "POST /auth/keys",
    good: { path: "/auth/keys", body: { name: "other", days: 3 }, status: 201 },
    bad: { path: "/auth/keys", body: { name: "a b" }, status: 400 },
  },
  {
    route: "DELETE /auth/keys/{id}",
    good: { path: () => `/auth/keys/${keyId}`, status: 200 },
    bad: { path: () => `/auth/keys/${keyId}`, status: 404 },
  },
  {
    route: "POST /auth/links",
    good: { path: "/auth/links", status: 201 },
    bad: { path: "/auth/links", headers: { origin: "http://evil.test" }, status: 403 },
  },
  {
    route: "POST /auth/session",
    good: { path: "/auth/session", body: { token: "" }, status: 401 },
    bad: { path: "/auth/session", body: {}, status: 400 },
  },
  {
    route: "DELETE /auth/session",
    good: { path: "/auth/session", status: 200 },
    bad: { path: "/auth/session", headers: { "x-api-key": "x" }, status: 401 },
  },
  {
    route: "GET /audit",
    good: { path: "/audit?limit=2", status: 200 },
    bad: { path: "/audit?limit=0", status: 400 },
  },
  {
    route: "GET /config",
    good: { path: "/config", status: 200 },
    bad: { path: "/config", headers: { "x-api-key": "x" }, status: 401 },
  },
  {
    route: "PATCH /config",
    good: { path: "/config", body: { OPENTIGER_REWORKS: 2 }, status: 200 },
    bad: { path: "/config", body: { NOBODY_KNOWS: 1 }, status: 404 },
  },
  {
    route: "GET /repositories",
    good: { path: "/repositories?limit=5", status: 200 },
    bad: { path: "/repositories?limit=x", status: 400 },
  },
  {
    route: "GET /overview",
    good: { path: "/overview", status: 200 },
    bad: { path: "/overview", headers: { "x-api-key": "x" }, status: 401 },
  },
  {
    route: "GET /usage",
    good: { path: "/usage?by=agent&from=2020-01-01", status: 200 },
    bad: { path: "/usage?by=weather", status: 400 },
  },
  {
    route: "GET /events",
    good: { path: "/events?topics=loop,task", status: 200, stream: true },
    bad: { path: "/events?topics=weather", status: 400 },
  },

  {
    route: "GET /loops",
    good: { path: "/loops?status=running", status: 200 },
    bad: { path: "/loops?status=tired", status: 400 },
  },
  {
    route: "POST /loops",
    good: {
      path: "/loops",
      body: () => ({
        repository: { path: repository },
        requirement: "Do it.",
        stories: { text: story, file: "a.md" },
      }),
      status: 201,
    },
    bad: { path: "/loops", body: { repository: { path: "/does/not/exist" }, requirement: "x" }, status: 404 },
  },
  {
    route: "GET /loops/{id}",
    good: { path: loop(), status: 200 },
    bad: { path: "/loops/zzzzzzzz", status: 404 },
  },
  {
    route: "GET /loops/{id}/plan",
    good: { path: loop("/plan"), status: 200 },
    bad: { path: "/loops/nope/plan", status: 400 },
  },
  {
    route: "PUT /loops/{id}/plan",
    good: { path: loop("/plan"), body: { summary: "s", tasks: [planned()] }, status: 409 },
    bad: { path: loop("/plan"), body: plan, status: 400 },
  },
  {
    route: "GET /loops/{id}/events",
    good: { path: loop("/events?limit=3"), status: 200 },
    bad: { path: loop("/events?task=x"), status: 400 },
  },
  {
    route: "GET /loops/{id}/usage",
    good: { path: loop("/usage"), status: 200 },
    bad: { path: "/loops/zzzzzzzz/usage", status: 404 },
  },
  {
    route: "POST /loops/{id}/merge",
    good: { path: loop("/merge"), status: 409 },
    bad: { path: "/loops/zzzzzzzz/merge", status: 404 },
  },
  {
    route: "GET /loops/{id}/patch",
    good: { path: loop("/patch"), status: 409 },
    bad: { path: "/loops/zzzzzzzz/patch", status: 404 },
  },
  {
    route: "POST /loops/{id}/approve",
    good: { path: loop("/approve"), status: 409 },
    bad: { path: "/loops/zzzzzzzz/approve", status: 404 },
  },
  {
    route: "POST /loops/{id}/pause",
    good: { path: loop("/pause"), status: 200 },
    bad: { path: "/loops/zzzzzzzz/pause", status: 404 },
  },
  {
    route: "POST /loops/{id}/resume",
    good: { path: loop("/resume"), body: { budget: { tokens: 1_000_000, usd: null } }, status: 200 },
    bad: { path: loop("/resume"), body: { budget: 3 }, status: 400 },
  },
  {
    route: "POST /loops/{id}/retry",
    good: { path: loop("/retry"), status: 409 },
    bad: { path: "/loops/zzzzzzzz/retry", status: 404 },
  },
  {
    route: "GET /loops/{id}/tasks",
    good: { path: loop("/tasks?status=queued"), status: 200 },
    bad: { path: loop("/tasks?status=x"), status: 400 },
  },
  {
    route: "POST /loops/{id}/tasks",
    good: {
      path: loop("/tasks"),
      body: { title: "More", role: "worker", instructions: "Do.", needs: [], allowedPaths: ["x/**"] },
      status: 201,
    },
    bad: { path: loop("/tasks"), body: { title: "" }, status: 400 },
  },
  {
    route: "GET /loops/{id}/runs",
    good: { path: loop("/runs"), status: 200 },
    bad: { path: loop("/runs?after=-1"), status: 400 },
  },
  {
    route: "GET /tasks/{id}",
    good: { path: task(0), status: 200 },
    bad: { path: `/tasks/${none}`, status: 404 },
  },
  {
    route: "PATCH /tasks/{id}",
    good: { path: task(1), body: { title: "Another title" }, status: 200 },
    bad: { path: task(1), body: { state: "done" }, status: 400 },
  },
  {
    route: "GET /tasks/{id}/runs",
    good: { path: task(0, "/runs"), status: 200 },
    bad: { path: `/tasks/${none}/runs`, status: 404 },
  },
  {
    route: "GET /judgements",
    good: { path: "/judgements?judgement=fail&limit=5", status: 200 },
    bad: { path: "/judgements?judgement=perhaps", status: 400 },
  },
  {
    route: "GET /tasks/{id}/judgements",
    good: { path: task(0, "/judgements"), status: 200 },
    bad: { path: "/tasks/1/judgements", status: 400 },
  },
  {
    route: "GET /tasks/{id}/messages",
    good: { path: task(0, "/messages"), status: 200 },
    bad: { path: `/tasks/${none}/messages`, status: 404 },
  },
  {
    route: "POST /tasks/{id}/messages",
    good: { path: task(2, "/messages"), body: { text: "Use the parser." }, status: 409 },
    bad: { path: task(2, "/messages"), body: { text: " " }, status: 400 },
  },
  {
    route: "POST /tasks/{id}/send-back",
    good: { path: task(2, "/send-back"), body: { message: "Simpler." }, status: 409 },
    bad: {
      path: task(2, "/send-back"),
      body: { comments: [{ path: "a", line: 0, text: "x" }] },
      status: 400,
    },
  },
  {
    route: "POST /tasks/{id}/pause",
    good: { path: task(2, "/pause"), status: 200 },
    bad: { path: `/tasks/${none}/pause`, status: 404 },
  },
  {
    route: "POST /tasks/{id}/resume",
    good: { path: task(2, "/resume"), status: 200 },
    bad: { path: task(2, "/resume"), status: 409 },
  },
  {
    route: "POST /tasks/{id}/cancel",
    good: { path: task(2, "/cancel"), status: 200 },
    bad: { path: `/tasks/${none}/cancel`, status: 404 },
  },
  {
    route: "POST /tasks/{id}/retry",
    good: { path: task(2, "/retry"), status: 200 },
    bad: { path: task(2, "/retry"), status: 409 },
  },
  {
    route: "GET /runs/{id}",
    good: { path: run(), status: 200 },
    bad: { path: `/runs/${none}`, status: 404 },
  },
  {
    route: "GET /runs/{id}/transcript",
    good: { path: run("/transcript?after=1"), status: 200 },
    bad: { path: run("/transcript?after=x"), status: 400 },
  },
  {
    route: "GET /runs/{id}/transcript/live",
    good: { path: run("/transcript/live"), status: 200, stream: true },
    bad: { path: `/runs/${none}/transcript/live`, status: 404 },
  },
  {
    route: "GET /runs/{id}/artifacts",
    good: { path: run("/artifacts"), status: 200 },
    bad: { path: `/runs/${none}/artifacts`, status: 404 },
  },
  {
    route: "GET /runs/{id}/artifacts/{artifact}",
    good: { path: () => `/runs/${world.run}/artifacts/${world.artifact}`, status: 200 },
    bad: { path: run("/artifacts/999"), status: 404 },
  },
  {
    route: "GET /runs/{id}/diff",
    good: { path: run("/diff"), status: 200 },
    bad: { path: `/runs/${none}/diff`, status: 404 },
  },
  {
    route: "POST /loops/{id}/cancel",
    good: { path: loop("/cancel"), status: 200 },
    bad: { path: "/loops/zzzzzzzz/cancel", status: 404 },
  },
  {
    route: "POST /loops/{id}/discard",
    good: { path: loop("/discard"), status: 200 },
    bad: { path: "/loops/zzzzzzzz/discard", status: 404 },
  },

  {
    route: "GET /secrets",
    good: { path: "/secrets", status: 200 },
    bad: { path: "/secrets", headers: { "x-api-key": "x" }, status: 401 },
  },
  {
    route: "PUT /secrets/{name}",
    good: { path: "/secrets/mine", body: { value: "something" }, status: 200 },
    bad: { path: "/secrets/mine", body: { value: "" }, status: 400 },
  },
  {
    route: "GET /secrets/leases",
    good: { path: "/secrets/leases", status: 200 },
    bad: { path: "/secrets/leases", headers: { "x-api-key": "x" }, status: 401 },
  },
  {
    route: "DELETE /secrets/leases/{id}",
    good: { path: `/secrets/leases/${"0".repeat(20)}`, status: 404 },
    bad: { path: "/secrets/leases/x", status: 400 },
  },
  {
    route: "DELETE /secrets/{name}",
    good: { path: "/secrets/mine", status: 200 },
    bad: { path: "/secrets/mine", status: 404 },
  },

  {
    route: "GET /system",
    good: { path: "/system", status: 200 },
    bad: { path: "/system", headers: { host: "evil.test" }, status: 403 },
  },
  {
    route: "GET /system/processes",
    good: { path: "/system/processes", status: 200 },
    bad: { path: "/system/processes", headers: { "x-api-key": "x" }, status: 401 },
  },
  {
    route: "POST /system/processes/{name}/start",
    good: { path: "/system/processes/dispatcher/start", status: 200 },
    bad: { path: "/system/processes/..%2fsh/start", status: 400 },
  },
  {
    route: "POST /system/processes/{name}/stop",
    good: { path: "/system/processes/dispatcher/stop", status: 200 },
    bad: { path: "/system/processes/Dispatcher/stop", status: 400 },
  },
  {
    route: "POST /system/processes/stop-all",
    good: { path: "/system/processes/stop-all", status: 200 },
    bad: { path: "/system/processes/stop-all", headers: { origin: "null" }, status: 403 },
  },
  {
    route: "GET /system/processes/{name}/log",
    good: { path: "/system/processes/dispatcher/log", status: 200 },
    bad: { path: "/system/processes/..%2f..%2fetc%2fpasswd/log", status: 400 },
  },
  {
    route: "GET /system/{agent}/auth",
    good: { path: "/system/claude/auth?environment=host", status: 200 },
    bad: { path: "/system/nobody/auth", status: 400 },
  },
  {
    route: "GET /system/docker",
    good: { path: "/system/docker", status: 200 },
    bad: { path: "/system/docker", headers: { "x-api-key": "x" }, status: 401 },
  },
  {
    route: "POST /system/docker/build",
    good: { path: "/system/docker/build", body: {}, status: 200, engineless: true },
    bad: { path: "/system/docker/build", body: { base: "windows" }, status: 400 },
  },
  {
    route: "GET /system/docker/build",
    good: { path: "/system/docker/build", status: 200 },
    bad: { path: "/system/docker/build", headers: { "x-api-key": "x" }, status: 401 },
  },
  {
    route: "DELETE /system/docker/build",
    good: { path: "/system/docker/build", status: 200 },
    bad: { path: "/system/docker/build", headers: { "x-api-key": "x" }, status: 401 },
  },

  {
    route: "POST /sandboxes",
    engine: true,
    good: {
      path: "/sandboxes",
      body: () => ({ name: box, agent: "shell", workspaces: [{ path: workspace }] }),
      status: 201,
    },
    bad: { path: "/sandboxes", body: { agent: "shell", workspaces: [{ path: "/" }] }, status: 400 },
  },
  {
    route: "GET /sandboxes",
    engine: true,
    good: { path: "/sandboxes", status: 200 },
    bad: { path: "/sandboxes?environment=vm", status: 400 },
  },
  {
    route: "GET /sandboxes/{name}",
    engine: true,
    good: { path: onBox(), status: 200 },
    bad: { path: noBox(), status: 404 },
  },
  {
    route: "POST /sandboxes/{name}/exec",
    engine: true,
    good: { path: onBox("/exec"), body: { command: ["sh", "-c", "echo hi; exit 3"] }, status: 200 },
    bad: { path: onBox("/exec"), body: { command: [] }, status: 400 },
  },
  {
    route: "GET /sandboxes/{name}/execs",
    engine: true,
    good: { path: onBox("/execs"), status: 200 },
    bad: { path: noBox("/execs"), status: 404 },
  },
  {
    route: "GET /sandboxes/{name}/disk",
    engine: true,
    good: { path: onBox("/disk"), status: 200 },
    bad: { path: noBox("/disk"), status: 404 },
  },
  {
    route: "GET /sandboxes/{name}/changes",
    engine: true,
    good: { path: onBox("/changes"), status: 200 },
    bad: { path: noBox("/changes"), status: 404 },
  },
  {
    route: "GET /sandboxes/{name}/stats",
    engine: true,
    good: { path: onBox("/stats"), status: 200 },
    bad: { path: noBox("/stats"), status: 404 },
  },
  {
    route: "GET /sandboxes/{name}/terminal",
    engine: true,
    good: { path: onBox("/terminal"), status: 400 },
    bad: { path: onBox("/terminal?rows=0"), status: 400 },
  },
  {
    route: "GET /sandboxes/{name}/network",
    engine: true,
    good: { path: onBox("/network"), status: 200 },
    bad: { path: noBox("/network"), status: 404 },
  },
  {
    route: "POST /sandboxes/{name}/network",
    engine: true,
    good: { path: onBox("/network"), body: { policy: "deny", allowHost: ["example.test"] }, status: 200 },
    bad: { path: onBox("/network"), body: { policy: "perhaps" }, status: 400 },
  },
  {
    route: "GET /sandboxes/{name}/network/log",
    engine: true,
    good: { path: onBox("/network/log"), status: 200 },
    bad: { path: "/sandboxes/a%20b/network/log", status: 400 },
  },
  {
    route: "GET /sandboxes/{name}/network/learned",
    engine: true,
    good: { path: onBox("/network/learned"), status: 200 },
    bad: { path: noBox("/network/learned"), status: 404 },
  },
  {
    route: "GET /sandboxes/{name}/ports",
    engine: true,
    good: { path: onBox("/ports"), status: 200 },
    bad: { path: noBox("/ports"), status: 404 },
  },
  {
    route: "POST /sandboxes/{name}/ports",
    engine: true,
    good: { path: onBox("/ports"), body: { inside: 8080 }, status: 200 },
    bad: { path: onBox("/ports"), body: { inside: 70_000 }, status: 400 },
  },
  {
    route: "DELETE /sandboxes/{name}/ports/{port}",
    engine: true,
    good: { path: onBox("/ports/1"), status: 404 },
    bad: { path: onBox("/ports/x"), status: 400 },
  },
  {
    route: "GET /sandboxes/{name}/usage",
    engine: true,
    good: { path: onBox("/usage"), status: 200 },
    bad: { path: noBox("/usage"), status: 404 },
  },
  {
    route: "POST /sandboxes/{name}/budget",
    engine: true,
    good: { path: onBox("/budget"), body: { usd: 2 }, status: 200 },
    bad: { path: onBox("/budget"), body: { usd: -1 }, status: 400 },
  },
  {
    route: "GET /sandboxes/{name}/auth",
    engine: true,
    good: { path: onBox("/auth"), status: 200 },
    bad: { path: noBox("/auth"), status: 404 },
  },
  {
    route: "POST /sandboxes/{name}/grant",
    engine: true,
    good: { path: onBox("/grant"), status: 200 },
    bad: { path: noBox("/grant"), status: 404 },
  },
  {
    route: "DELETE /sandboxes/{name}/grant",
    engine: true,
    good: { path: onBox("/grant"), status: 200 },
    bad: { path: noBox("/grant"), status: 404 },
  },
  {
    route: "POST /sandboxes/{name}/save",
    engine: true,
    good: { path: noBox("/save"), body: { tag: "opentiger-test/routes:none" }, status: 404 },
    bad: { path: onBox("/save"), body: {}, status: 400 },
  },
  {
    route: "POST /sandboxes/{name}/stop",
    engine: true,
    good: { path: onBox("/stop"), status: 200 },
    bad: { path: noBox("/stop"), status: 404 },
  },
  {
    route: "POST /sandboxes/{name}/start",
    engine: true,
    good: { path: onBox("/start"), status: 200 },
    bad: { path: noBox("/start"), status: 404 },
  },
  {
    route: "POST /sandboxes/{name}/resume",
    engine: true,
    good: { path: noBox("/resume"), status: 404 },
    bad: { path: "/sandboxes/a%20b/resume", status: 400 },
  },
  {
    route: "DELETE /sandboxes/{name}",
    engine: true,
    good: { path: onBox("?force=true"), status: 200 },
    bad: { path: "/sandboxes/a%20b", status: 400 },
  },
];

describe("the API", () => {
  test("has no route that is not in this table, and the table none that is not there", async () => {
    const { paths } = document.parse((await askServer(server.url, "/openapi.json")).json);
    const routes = Object.entries(paths).flatMap(([path, verbs]) =>
      Object.keys(verbs).map((verb) => `${verb.toUpperCase()} ${path}`),
    );
    expect(table.map(({ route }) => route).toSorted()).toEqual(routes.toSorted());
  });

  for (const { route, good, bad, engine: needed } of table) {
    const skipped = needed === true && engine === undefined;
    test.skipIf(skipped)(`${route} with good input`, async () => {
      const answer = await call(route, good);
      expect(answer.status, answer.text).toBe(good.status);
    });

    test.skipIf(skipped)(`${route} with bad input`, async () => {
      const answer = await call(route, bad);
      expect(answer.status, answer.text).toBe(bad.status);
      expect(answer.json).toMatchObject({ code: expect.any(String), message: expect.any(String) });
    });
  }

  test("the same request with the same idempotency key makes one loop", async () => {
    const headers = { "idempotency-key": "routes-1" };
    const body = { repository: { path: repository }, requirement: "Once.", single: true };
    const ask = (given: object) => askServer(server.url, "/loops", { method: "POST", headers, body: given });
    const [first, second] = [await ask(body), await ask(body)];
    expect(first.status).toBe(201);
    expect(second.json).toEqual(first.json);
    expect((await ask({ ...body, requirement: "Twice." })).json).toMatchObject({ code: "usage" });
    const { json } = await askServer(server.url, "/loops?limit=500");
    const { items } = z.object({ items: z.array(z.object({ requirement: z.string() })) }).parse(json);
    expect(items.filter(({ requirement }) => requirement === "Once.")).toHaveLength(1);
  });

  test("a body that is too large is refused", async () => {
    const answer = await askServer(server.url, "/config", {
      method: "PATCH",
      body: { A: "x".repeat(5 * 1024 * 1024) },
    });
    expect(answer).toMatchObject({ status: 413, json: { code: "too_large" } });
  });

  test("pages follow each other to the end", async () => {
    const seen: number[] = [];
    const page = z.object({ items: z.array(z.object({ id: z.number() })), next: z.number().nullable() });
    for (let after = ""; ; ) {
      const { json } = await askServer(server.url, `/loops/${world.loop}/events?limit=2${after}`);
      const { items, next } = page.parse(json);
      seen.push(...items.map(({ id }) => id));
      if (next === null) break;
      after = `&after=${next}`;
    }
    const { json } = await askServer(server.url, `/loops/${world.loop}/events?limit=500`);
    expect(seen).toEqual(page.parse(json).items.map(({ id }) => id));
  });
});

test("the typed client asks and reads as the routes say", async () => {
  const client = apiClient(server.url);
  const listed = await client.loops.$get({ query: { limit: "1" } });
  if (!listed.ok) throw new Error("it was refused");
  const { items } = await listed.json();
  expect(items).toHaveLength(1);
  const missing = await client.loops[":id"].$get({ param: { id: "zzzzzzzz" } });
  expect(missing.status).toBe(404);
});

test("docs/openapi.json is the document that is served", async () => {
  const served = (await askServer(server.url, "/openapi.json")).json;
  const committed = readFileSync(new URL("../../docs/openapi.json", import.meta.url), "utf8");
  expect(JSON.parse(committed)).toEqual(served);
});

async function call(
  route: string,
  { path, body, headers = {}, stream, engineless: elsewhere }: Call,
): Promise<ServerAnswer> {
  const question: ServerQuestion = {
    method: route.split(" ")[0] ?? "",
    headers,
    ...(body === undefined ? {} : { body: typeof body === "function" ? body() : body }),
  };
  const asked = typeof path === "function" ? path() : path;
  if (!stream) return askServer(server.url, asked, question);
  const gone = new AbortController();
  const { url } = elsewhere ? engineless : server;
  const answer = await fetch(url + asked, {
    method: question.method ?? "GET",
    signal: gone.signal,
    ...(question.body === undefined
      ? {}
      : { body: JSON.stringify(question.body), headers: { "content-type": "application/json" } }),
  });
  gone.abort();
  expect(answer.headers.get("content-type")).toContain("text/event-stream");
  return { status: answer.status, headers: {}, text: "", json: undefined };
}

function planned() {
  return {
    key: "one",
    title: "One",
    role: "worker",
    instructions: "Do.",
    needs: [],
    allowedPaths: [],
    mayChange: [],
    verify: [],
    risk: "low",
    estimate: null,
  };
}
