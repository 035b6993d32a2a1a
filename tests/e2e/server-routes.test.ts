import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { apiClient } from "../../packages/server/src/client.ts";
import type { RunningServer } from "../../packages/server/src/server.ts";
import { temporaryServer } from "../../packages/server/src/temporary-server.ts";
import { askServer, type ServerAnswer } from "../setup/ask-server.ts";
import { serverWorld } from "../setup/server-world.ts";
import { temporaryFolder, temporaryWorkspace } from "../setup/temporary-workspace.ts";
import { accessRoutes } from "./server-routes/access-routes.ts";
import { loopEndRoutes, loopRoutes } from "./server-routes/loop-routes.ts";
import type { Call, RouteWorld } from "./server-routes/route-row.ts";
import { runRoutes } from "./server-routes/run-routes.ts";
import { box, sandboxRoutes } from "./server-routes/sandbox-routes.ts";
import { secretRoutes } from "./server-routes/secret-routes.ts";
import { systemRoutes } from "./server-routes/system-routes.ts";
import { taskRoutes } from "./server-routes/task-routes.ts";

const engine = process.env["DOCKER_HOST"];
const instance = temporaryServer(engine === undefined ? {} : { DOCKER_HOST: engine });

let server: RunningServer;
let engineless: RunningServer;
let known: RouteWorld;

const document = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) });

beforeAll(async () => {
  server = await instance.start();
  engineless = await instance.start({
    env: { ...instance.env, DOCKER_HOST: `unix://${instance.home}/none.sock` },
  });
  const repository = temporaryFolder("routes-");
  execFileSync("git", ["init", "-q", repository]);
  const made = await askServer(server.url, "/auth/keys", { method: "POST", body: { name: "mine" } });
  known = {
    world: await serverWorld(server, repository),
    repository,
    workspace: temporaryWorkspace(),
    keyId: z.object({ id: z.string() }).parse(made.json).id,
  };
});

afterAll(async () => {
  await askServer(server.url, `/sandboxes/${box}?force=true`, { method: "DELETE" });
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
    const body = { repository: { path: known.repository }, requirement: "Once.", single: true };
    const ask = (given: object) => askServer(server.url, "/loops", { method: "POST", headers, body: given });
    const [first, meanwhile] = await Promise.all([ask(body), ask(body)]);
    expect(first.status).toBe(201);
    expect(meanwhile.json).toEqual(first.json);
    expect((await ask(body)).json).toEqual(first.json);
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
      const { json } = await askServer(server.url, `/loops/${known.world.loop}/events?limit=2${after}`);
      const { items, next } = page.parse(json);
      seen.push(...items.map(({ id }) => id));
      if (next === null) break;
      after = `&after=${next}`;
    }
    const idsOf = async (query: string) => {
      const { json } = await askServer(server.url, `/loops/${known.world.loop}/events?limit=500${query}`);
      return page.parse(json).items.map(({ id }) => id);
    };
    expect(seen).toEqual(await idsOf(""));
    expect(await idsOf("&order=desc")).toEqual(seen.toReversed());
    expect(await idsOf(`&order=desc&after=${seen.at(-1)}`)).toEqual(seen.toReversed().slice(1));
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
  const file = new URL("../../docs/openapi.json", import.meta.url);
  const { json: served } = await askServer(server.url, "/openapi.json");
  if (process.env["UPDATE_DOCS"]) writeFileSync(file, `${JSON.stringify(served, undefined, 2)}\n`);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(served);
});

async function call(
  route: string,
  { path, body, headers = {}, stream, engineless: elsewhere }: Call,
): Promise<ServerAnswer> {
  const [method = ""] = route.split(" ");
  const asked = typeof path === "function" ? path(known) : path;
  const given: unknown = typeof body === "function" ? body(known) : body;
  const { url } = elsewhere ? engineless : server;
  if (!stream)
    return askServer(url, asked, { method, headers, ...(body === undefined ? {} : { body: given }) });
  const gone = new AbortController();
  const answer = await fetch(url + asked, { method, signal: gone.signal });
  gone.abort();
  expect(answer.headers.get("content-type")).toContain("text/event-stream");
  return { status: answer.status, headers: {}, text: "", json: undefined };
}
