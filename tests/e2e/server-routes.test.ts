import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { apiClient } from "../../packages/server/src/client.ts";
import type { RunningServer } from "../../packages/server/src/server.ts";
import { temporaryServer } from "../../packages/server/src/temporary-server.ts";
import { temporaryTerminal } from "../../packages/server/src/terminal/temporary-terminal.ts";
import { answerChecks } from "../setup/answer-checks.ts";
import { askServer, type ServerAnswer } from "../setup/ask-server.ts";
import { docker } from "../setup/docker.ts";
import { freePort } from "../setup/free-port.ts";
import { readMetrics } from "../setup/read-metrics.ts";
import { serverWorld } from "../setup/server-world.ts";
import { temporaryFolder, temporaryWorkspace } from "../setup/temporary-workspace.ts";
import { accessRoutes } from "./server-routes/access-routes.ts";
import { loopEndRoutes, loopRoutes } from "./server-routes/loop-routes.ts";
import type { Call, RouteWorld } from "./server-routes/route-row.ts";
import { routeStates } from "./server-routes/route-states.ts";
import { runRoutes } from "./server-routes/run-routes.ts";
import { sandboxRoutes, savedImage } from "./server-routes/sandbox-routes.ts";
import { secretRoutes } from "./server-routes/secret-routes.ts";
import { systemRoutes } from "./server-routes/system-routes.ts";
import { taskRoutes } from "./server-routes/task-routes.ts";

const engine = process.env["DOCKER_HOST"];
const instance = temporaryServer(engine === undefined ? {} : { DOCKER_HOST: engine });

let server: RunningServer;
let engineless: RunningServer;
let known: RouteWorld;

const hostBox = "routes-host";
const author = ["-c", "user.name=Una User", "-c", "user.email=una@example.test"];

const document = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) });
const parameters = z.array(z.object({ in: z.string() })).default([]);
const withParameters = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.object({ parameters }))),
});
const committed = new URL("../../docs/openapi.json", import.meta.url);
const check = answerChecks(JSON.parse(readFileSync(committed, "utf8")));

beforeAll(async () => {
  server = await instance.start();
  engineless = await instance.start({
    env: { ...instance.env, DOCKER_HOST: `unix://${instance.home}/none.sock` },
  });
  const repository = temporaryFolder("routes-");
  execFileSync("git", ["init", "-q", repository]);
  execFileSync("git", ["-C", repository, ...author, "commit", "-q", "--allow-empty", "-m", "first"]);
  const made = await askServer(server.url, "/auth/keys", { method: "POST", body: { name: "mine" } });
  const other = await askServer(server.url, "/auth/keys", { method: "POST", body: { name: "another" } });
  const link = await askServer(server.url, "/auth/links", { method: "POST" });
  const { vault, place } = server.parts;
  await vault.add("leased", Buffer.from("something"));
  known = {
    url: server.url,
    world: await serverWorld(server, repository),
    repository,
    workspace: temporaryWorkspace(),
    keyId: z.object({ id: z.string() }).parse(made.json).id,
    key: z.object({ key: z.string() }).parse(other.json).key,
    states: await routeStates(place),
    login: new URL(z.object({ url: z.url() }).parse(link.json).url).hash.slice(1),
    lease: (await vault.lease("leased", { ttlMs: 600_000, holder: { who: "a test" } })).id,
    port: await freePort(),
  };
});

afterAll(async () => {
  if (engine !== undefined) {
    await askServer(server.url, "/sandboxes/reset?force=true", { method: "POST" });
    await docker("rmi", "--force", savedImage);
  }
  await instance.remove();
});

/** Every route, in an order in which each finds what it needs. */
const table = [
  ...accessRoutes,
  ...systemRoutes,
  ...loopRoutes,
  ...taskRoutes,
  ...runRoutes,
  ...loopEndRoutes,
  ...secretRoutes,
  ...sandboxRoutes,
];

/** Before the table, which ends the loop. */
describe("an idempotency key", () => {
  const post = (path: string, body: object, headers: Record<string, string>) =>
    askServer(server.url, path, { method: "POST", headers, body });
  const count = async (list: string) =>
    z.object({ items: z.array(z.unknown()) }).parse((await askServer(server.url, list)).json).items.length;

  /** What makes something, and the list that it is in then. */
  const makers: { what: string; path: () => string; body: () => object; list: () => string }[] = [
    {
      what: "loop",
      path: () => "/loops",
      body: () => ({ repository: { path: known.repository }, requirement: "Once.", single: true }),
      list: () => "/loops?limit=500",
    },
    {
      what: "task",
      path: () => `/loops/${known.world.loop}/tasks`,
      body: () => ({ title: "Once", role: "worker", instructions: "Do.", needs: [], allowedPaths: ["y/**"] }),
      list: () => `/loops/${known.world.loop}/tasks`,
    },
    {
      what: "message",
      path: () => `/tasks/${known.world.tasks[0]}/messages`,
      body: () => ({ text: "Once." }),
      list: () => `/tasks/${known.world.tasks[0]}/messages`,
    },
    {
      what: "sandbox",
      path: () => "/sandboxes?environment=host",
      body: () => ({ agent: "shell", workspaces: [{ path: known.workspace }] }),
      list: () => "/sandboxes?environment=host",
    },
  ];

  test.each(makers)("makes one $what of the same request, and another for another caller", async (maker) => {
    const { what, path, body, list } = maker;
    const headers = { "idempotency-key": `once-${what}` };
    const before = await count(list());
    const [first, meanwhile] = await Promise.all([
      post(path(), body(), headers),
      post(path(), body(), headers),
    ]);
    expect(first.status, first.text).toBe(201);
    expect(meanwhile.json).toEqual(first.json);
    expect((await post(path(), body(), headers)).json).toEqual(first.json);
    expect(await count(list())).toBe(before + 1);
    const [name = ""] = Object.keys(body());
    expect((await post(path(), { ...body(), [name]: null }, headers)).status).toBe(400);
    const other = await post(path(), body(), { ...headers, "x-api-key": known.key });
    expect(other.status, other.text).toBe(201);
    expect(other.json).not.toEqual(first.json);
    expect(await count(list())).toBe(before + 2);
  });

  test("of another request is refused", async () => {
    const headers = { "idempotency-key": "once-loop" };
    const body = { repository: { path: known.repository }, requirement: "Twice.", single: true };
    expect((await post("/loops", body, headers)).json).toMatchObject({ code: "usage" });
  });

  test("makes one key, which is shown once and kept nowhere", async () => {
    const headers = { "idempotency-key": "once-key" };
    const first = await post("/auth/keys", { name: "once" }, headers);
    const { id, key } = z.object({ id: z.string(), key: z.string() }).parse(first.json);
    const again = await post("/auth/keys", { name: "once" }, headers);
    expect(again.json).toMatchObject({ code: "not_allowed_now", remedy: expect.stringContaining(id) });
    const { rows } = await server.parts.place.database.query("select t::text from idempotency_keys t");
    expect(JSON.stringify(rows)).toContain("once-key");
    expect(JSON.stringify(rows)).not.toContain(key.split("_").at(-1));
  });
});

describe("the API", () => {
  test("has no route that is not in this table, and the table none that is not there", async () => {
    const { paths } = document.parse((await askServer(server.url, "/openapi.json")).json);
    const routes = Object.entries(paths).flatMap(([path, verbs]) =>
      Object.keys(verbs).map((verb) => `${verb.toUpperCase()} ${path}`),
    );
    expect(table.map(({ route }) => route).toSorted()).toEqual(routes.toSorted());
  });

  for (const row of table) {
    const { route, good, bad } = row;
    const skipped = engine === undefined && sandboxRoutes.includes(row);
    test.skipIf(skipped)(`${route} with good input`, async () => {
      await good.before?.(known);
      const answer = await call(route, good);
      expect(answer.status, answer.text).toBe(good.status);
      if (typeof good.says === "string") expect(answer.text).toContain(good.says);
      else if (good.says) expect(answer.json).toMatchObject(good.says);
      expect(check(route, answer.status, answer.text)).toBeUndefined();
    });

    test.skipIf(skipped)(`${route} with bad input`, async () => {
      const answer = await call(route, bad);
      expect(answer.status, answer.text).toBe(bad.status);
      expect(check(route, answer.status, answer.text)).toBeUndefined();
    });
  }

  test("refuses what no query of a route has, so that a mistyped filter is not a list of everything", async () => {
    const { paths } = withParameters.parse(JSON.parse(readFileSync(committed, "utf8")));
    const asked = table.filter(({ route }) => {
      const [verb = "", path = ""] = route.split(" ");
      return paths[path]?.[verb.toLowerCase()]?.parameters.some((parameter) => parameter.in === "query");
    });
    expect(asked.length).toBeGreaterThan(30);
    for (const { route, good } of asked) {
      const { stream: _, ...whole } = good;
      if (whole.socket !== undefined) continue;
      const path = typeof whole.path === "function" ? whole.path(known) : whole.path;
      const answer = await call(route, {
        ...whole,
        path: `${path}${path.includes("?") ? "&" : "?"}statsu=done`,
      });
      expect([route, answer.status, answer.text]).toEqual([route, 400, expect.stringContaining("statsu")]);
    }
  });

  test("a body that is too large is refused", async () => {
    const answer = await askServer(server.url, "/config", {
      method: "PATCH",
      body: { A: "x".repeat(5 * 1024 * 1024) },
    });
    expect(answer).toMatchObject({ status: 413, json: { code: "too_large" } });
  });
});

describe("what the API says of all that there is then", () => {
  beforeAll(async () => {
    for (const name of [hostBox, "routes-other"]) {
      const body = { name, agent: "shell", workspaces: [{ path: known.workspace }] };
      await askServer(server.url, "/sandboxes?environment=host", { method: "POST", body });
    }
    for (const name of ["one", "two"]) {
      await server.parts.vault.add(name, Buffer.from("something"));
      await server.parts.vault.lease(name, { ttlMs: 600_000, holder: { who: "a test" } });
    }
  });

  const lists = [
    () => `/loops/${known.world.loop}/events?`,
    () => "/loops?",
    () => "/tasks?",
    () => "/runs?",
    () => "/audit?action=POST%20/loops&",
    () => "/auth/keys?",
    () => "/secrets?",
    () => "/secrets/leases?",
    () => "/repositories?",
    () => "/usage?by=loop&",
    () => "/sandboxes?environment=host&",
  ];

  test.each(lists.map((list) => ({ list, name: String(list) })))(
    "pages of $name follow each other to the end",
    async ({ list }) => {
      const seen: unknown[] = [];
      const page = z.object({
        items: z.array(z.unknown()).min(1),
        next: z.union([z.number(), z.string(), z.null()]),
      });
      for (let after = ""; ; ) {
        const { json } = await askServer(server.url, `${list()}limit=1${after}`);
        const { items, next } = page.parse(json);
        expect(items).toHaveLength(1);
        seen.push(...items);
        if (next === null) break;
        after = `&after=${encodeURIComponent(next)}`;
      }
      const { json } = await askServer(server.url, `${list()}limit=500`);
      expect(seen.length).toBeGreaterThan(1);
      expect(withoutAges(seen)).toEqual(withoutAges(page.parse(json).items));
    },
  );

  test("events of a loop are read newest first, too", async () => {
    const page = z.object({ items: z.array(z.object({ id: z.union([z.number(), z.string()]) })) });
    const idsOf = async (query: string) => {
      const { json } = await askServer(server.url, `/loops/${known.world.loop}/events?limit=500${query}`);
      return page.parse(json).items.map(({ id }) => id);
    };
    const ids = await idsOf("");
    expect(await idsOf("&order=desc")).toEqual(ids.toReversed());
    expect(await idsOf(`&order=desc&after=${ids.at(-1)}`)).toEqual(ids.toReversed().slice(1));
  });

  test("the audit is searched by who, what and what was answered", async () => {
    const rows = async (query: string) =>
      z
        .object({
          items: z.array(
            z.object({
              who: z.string(),
              action: z.string(),
              status: z.number().nullable(),
              target: z.string(),
            }),
          ),
        })
        .parse((await askServer(server.url, `/audit?limit=500&${query}`)).json).items;
    const loops = await rows("action=POST%20/loops&status=201");
    expect(loops.length).toBeGreaterThan(0);
    expect(new Set(loops.map(({ action, status }) => `${action} ${status}`))).toEqual(
      new Set(["POST /loops 201"]),
    );
    const whose = await rows("who=local&target=/sandboxes");
    expect(whose.length).toBeGreaterThan(0);
    expect(whose.every(({ who, target }) => who === "local" && target.startsWith("/sandboxes"))).toBe(true);
    expect(await rows("to=2020-01-01T00:00:00Z")).toEqual([]);
  });

  test("an exec goes on by itself, is followed to its end, and says how it ended", async () => {
    const at = (rest: string) => `/sandboxes/${hostBox}/execs${rest}?environment=host`;
    const body = { id: "counted-exec", command: ["sh", "-c", "echo one; echo two >&2; exit 3"] };
    expect((await askServer(server.url, at(""), { method: "POST", body })).status).toBe(201);
    const output = await askServer(server.url, at("/counted-exec/output"));
    expect(output.text).toContain('event: stdout\ndata: {"offset":0,"bytes":4,"text":"one\\n"}');
    expect(output.text).toContain('event: stderr\ndata: {"offset":0,"bytes":4,"text":"two\\n"}');
    expect(output.text).toContain('event: exit\ndata: {"code":3,');
    const ended = await askServer(server.url, `${at("")}&state=ended`);
    expect(ended.json).toMatchObject({ items: [{ id: "counted-exec", exit: { code: 3 } }] });
    const sleeper = { id: "killed-exec", command: ["sleep", "1000"] };
    await askServer(server.url, at(""), { method: "POST", body: sleeper });
    const following = askServer(server.url, at("/killed-exec/output"));
    await askServer(server.url, at("/killed-exec"), { method: "DELETE" });
    expect((await following).text).toContain('"signal":"SIGKILL"');
  });

  test("its metrics say what there is", async () => {
    const { database } = server.parts.place;
    await database.query(
      `update runs set tokens = '{"input":5,"output":7,"cacheRead":11,"cacheWrite":13}', usd = 1.5 where id = $1`,
      [known.world.run],
    );
    const { rows } = await database.query(
      `select 'opentiger_loops{status="' || status || '"}' as key, count(*)::int as value from loops group by 1
       union all select 'opentiger_tasks{status="' || status || '"}', count(*)::int from tasks group by 1
       union all select 'opentiger_runs_total{agent="' || agent || '",role="' || role || '",outcome="'
         || coalesce(failure->>'type', status) || '"}', count(*)::int from runs where status <> 'running' group by 1`,
    );
    const there = z.array(z.object({ key: z.string(), value: z.number() })).parse(rows);
    const { kinds, values } = readMetrics((await askServer(server.url, "/metrics")).text);
    for (const { key, value } of there) expect([key, values.get(key)]).toEqual([key, value]);
    expect(there.some(({ key }) => key.startsWith("opentiger_runs_total"))).toBe(true);
    const tokens = (kind: string) => values.get(`opentiger_tokens_total{agent="claude_code",kind="${kind}"}`);
    expect(["input", "output", "cacheRead", "cacheWrite"].map(tokens)).toEqual([5, 7, 11, 13]);
    expect(values.get('opentiger_cost_usd_total{agent="claude_code"}')).toBe(1.5);
    const boxes = z
      .object({ items: z.array(z.unknown()) })
      .parse((await askServer(server.url, "/sandboxes?environment=host&status=running")).json).items.length;
    expect(boxes).toBeGreaterThan(0);
    expect(values.get('opentiger_sandboxes{environment="host",status="running"}')).toBe(boxes);
    expect(values.get('opentiger_process_restarts_total{name="dispatcher"}')).toBe(0);
    const asked = '{method="GET",route="/overview"';
    expect(kinds.get("opentiger_http_request_seconds")).toBe("histogram");
    const bucket = (le: string) =>
      values.get(`opentiger_http_request_seconds_bucket${asked},le="${le}"}`) ?? -1;
    const counted = values.get(`opentiger_http_request_seconds_count${asked}}`) ?? 0;
    expect(counted).toBe(2);
    expect(bucket("+Inf")).toBe(counted);
    expect(bucket("0.005")).toBeLessThanOrEqual(bucket("30"));
    expect(values.get(`opentiger_http_request_seconds_sum${asked}}`)).toBeGreaterThan(0);
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

/** After a change of the API: UPDATE_DOCS=1 npx vitest run --project e2e tests/e2e/server-routes.test.ts -t openapi.json */
test("docs/openapi.json is the document that is served", async () => {
  const { json: served } = await askServer(server.url, "/openapi.json");
  if (process.env["UPDATE_DOCS"]) writeFileSync(committed, `${JSON.stringify(served, undefined, 2)}\n`);
  expect(JSON.parse(readFileSync(committed, "utf8"))).toEqual(served);
});

/** A secret is older by the second. */
function withoutAges(items: readonly unknown[]): unknown[] {
  return items.map((item) => ({ ...z.looseObject({}).parse(item), ageSeconds: null }));
}

async function call(
  route: string,
  { path, body, headers = {}, stream, socket, engineless: elsewhere }: Call,
): Promise<ServerAnswer> {
  const [method = ""] = route.split(" ");
  const asked = typeof path === "function" ? path(known) : path;
  const given: unknown = typeof body === "function" ? body(known) : body;
  const { url } = elsewhere ? engineless : server;
  if (socket !== undefined) {
    const terminal = await temporaryTerminal(url, socket);
    terminal.end();
    return { status: 101, headers: {}, text: terminal.said(), json: undefined };
  }
  if (!stream)
    return askServer(url, asked, { method, headers, ...(body === undefined ? {} : { body: given }) });
  const gone = new AbortController();
  const answer = await fetch(url + asked, { method, signal: gone.signal });
  gone.abort();
  expect(answer.headers.get("content-type")).toContain("text/event-stream");
  return { status: answer.status, headers: {}, text: "", json: undefined };
}
