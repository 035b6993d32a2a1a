import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { RunningServer } from "../../packages/server/src/server.ts";
import { temporaryServer } from "../../packages/server/src/temporary-server.ts";
import { answerChecks } from "../setup/answer-checks.ts";
import { askServer } from "../setup/ask-server.ts";
import { valuesOf } from "../setup/schema-values.ts";
import { type ServerWorld, serverWorld } from "../setup/server-world.ts";
import { soak } from "../setup/soak.ts";
import { temporaryFolder, temporaryWorkspace } from "../setup/temporary-workspace.ts";

const calls = soak ? 300 : 12;

/** Of these the head is all that is looked at: of what happens, and of a folder, which may be all of this machine. */
const heads = ["text/event-stream", "application/x-tar"];
const patienceMs = 10_000;

const instance = temporaryServer();
let server: RunningServer;
let world: ServerWorld;
const logged: string[] = [];

const parameter = z.object({
  name: z.string(),
  in: z.string(),
  required: z.boolean().optional(),
  schema: z.unknown(),
});
const operation = z.object({
  parameters: z.array(parameter).default([]),
  requestBody: z
    .object({ content: z.object({ "application/json": z.object({ schema: z.unknown() }).optional() }) })
    .optional(),
});
type Operation = z.infer<typeof operation>;

/** The document is needed to name the tests, before there is a server; that it is the one that is served is another's test. */
const document: unknown = JSON.parse(
  readFileSync(new URL("../../docs/openapi.json", import.meta.url), "utf8"),
);
const described = z
  .looseObject({ paths: z.record(z.string(), z.record(z.string(), operation)) })
  .parse(document);
const check = answerChecks(document);

/** These leave nothing for the others. */
const last = new Set(["DELETE /sandboxes/{name}", "POST /sandboxes/reset"]);
const routes = Object.entries(described.paths)
  .flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, about]) => ({ verb: verb.toUpperCase(), path, about })),
  )
  .toSorted((left, right) => Number(isLast(left)) - Number(isLast(right)));

const box = "properties-box";

beforeAll(async () => {
  // No engine: sandboxes are made on the host, and what would make a container says that there is none.
  const env = { ...instance.env, DOCKER_HOST: `unix://${instance.home}/none.sock` };
  server = await instance.start({ env, log: (line) => logged.push(line) });
  const repository = temporaryFolder("properties-");
  execFileSync("git", ["init", "-q", repository]);
  world = await serverWorld(server, repository);
  const body = { name: box, agent: "shell", workspaces: [{ path: temporaryWorkspace() }] };
  await askServer(server.url, "/sandboxes?environment=host", { method: "POST", body });
});

afterAll(() => instance.remove());

describe("whatever it is asked, the API answers in its own words", () => {
  test.each(routes)("$verb $path", async ({ verb, path, about }) => {
    await fc.assert(
      fc.asyncProperty(questions(about), async (question) => {
        const address = addressOf(path, question, known());
        const answer = await fetch(server.url + address, {
          method: verb,
          signal: AbortSignal.timeout(patienceMs),
          headers: { "content-type": "application/json", ...question.headers },
          ...(question.body === undefined || verb === "GET" ? {} : { body: question.body }),
        });
        const type = answer.headers.get("content-type") ?? "";
        if (heads.some((head) => type.startsWith(head))) return answer.body?.cancel();
        const text = await answer.text();
        expect(answer.status, `${address} ${question.body} ${text} ${logged.at(-1)}`).not.toBe(500);
        expect(
          check(`${verb} ${path}`, answer.status, text),
          `${address} ${question.body} ${text}`,
        ).toBeUndefined();
      }),
      { numRuns: calls, interruptAfterTimeLimit: 20_000, endOnFailure: true },
    );
  });
});

interface Question {
  parameters: Record<string, unknown>;
  /** Whether ids in the path are those of what is there. */
  real: boolean;
  query: Record<string, unknown>;
  headers: Record<string, string>;
  body: string | undefined;
}

function questions({ parameters, requestBody }: Operation): fc.Arbitrary<Question> {
  const values = (place: string) => {
    const named = parameters.filter((each) => each.in === place);
    const each = Object.fromEntries(named.map(({ name, schema }) => [name, valuesOf(described, schema)]));
    return fc.record(each, { requiredKeys: place === "path" ? named.map(({ name }) => name) : [] });
  };
  const schema = requestBody?.content["application/json"]?.schema;
  const json = schema === undefined ? fc.constant(undefined) : valuesOf(described, schema).map(harmless);
  const body = fc.oneof(
    { weight: 9, arbitrary: json.map((value) => (value === undefined ? undefined : JSON.stringify(value))) },
    { weight: 1, arbitrary: fc.constantFrom("{", "[]", "null", '"x"', undefined) },
  );
  return fc.record({
    parameters: values("path"),
    real: fc.boolean(),
    query: values("query").map((query) => ({ ...query, ...onHost(parameters) })),
    headers: values("header").map(plainHeaders),
    body,
  });
}

/** A header that no client could send is not sent. */
function plainHeaders(values: object): Record<string, string> {
  const written = Object.entries(values).map(([name, value]) => [name, wellFormed(value)] as const);
  return Object.fromEntries(written.filter(([, value]) => /^[\x20-\x7e]*$/.test(value)));
}

/** Where there is something to find. */
function onHost(parameters: Operation["parameters"]): { environment?: "host" } {
  return parameters.some(({ name }) => name === "environment") ? { environment: "host" } : {};
}

/** A command that anybody could think of is run on this machine: it is one that does nothing. */
function harmless(body: unknown): unknown {
  const asked = z.looseObject({ command: z.array(z.string()).min(1) }).safeParse(body);
  return asked.success ? { ...asked.data, command: ["true"] } : body;
}

function known(): Record<string, string> {
  return { "/loops/": world.loop, "/tasks/": world.tasks[0], "/runs/": world.run, "/sandboxes/": box };
}

function isLast({ verb, path }: { verb: string; path: string }): boolean {
  return last.has(`${verb} ${path}`);
}

function addressOf(path: string, { parameters, real, query }: Question, ids: Record<string, string>): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string, at: number) => {
    const id = ids[path.slice(0, at)];
    return real && id !== undefined ? id : segment(wellFormed(parameters[name]));
  });
  const words = new URLSearchParams(
    Object.fromEntries(Object.entries(query).map(([name, value]) => [name, wellFormed(value)])),
  );
  return words.size === 0 ? filled : `${filled}?${words}`;
}

/** What a path can have at its place: nothing, and dots that lead to another route, it cannot. */
function segment(text: string): string {
  return text === "" || /^\.{1,2}$/.test(text) ? "x" : encodeURIComponent(text);
}

/** Half of a pair is no text that an address can have. */
function wellFormed(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return Buffer.from(text, "utf8").toString("utf8");
}
