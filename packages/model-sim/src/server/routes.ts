import type { IncomingMessage, ServerResponse } from "node:http";
import { anthropic } from "../anthropic/api.ts";
import type { ModelRequest } from "../conversation/model-request.ts";
import { openingOf } from "../conversation/opening.ts";
import { openai } from "../openai/api.ts";
import { inputTokens } from "../scenario/token-count.ts";
import type { Api } from "./api.ts";
import { answerModelRequest, fail } from "./exchange.ts";
import { modelList } from "./models.ts";
import type { RequestRecord } from "./records.ts";
import type { Sessions } from "./sessions.ts";

/** What may be asked, and of whom. */
export interface RouteOptions {
  /** The credentials that it takes, without `Bearer`; all others are answered with 401. Without this, any will do. */
  credentials?: readonly string[];
  /** The models that there are; others are answered with 404. Without this, any will do. */
  models?: readonly string[];
}

export interface Asked {
  request: IncomingMessage;
  text: string;
  record: RequestRecord;
  response: ServerResponse;
  signal: AbortSignal;
}

/** Answers whatever a CLI asks of a model's API. */
export async function answerRequest(asked: Asked, sessions: Sessions, options: RouteOptions): Promise<void> {
  const { request, text, record, response, signal } = asked;
  const path = record.path.split("?")[0] ?? "";
  if (request.method === "HEAD") return end(asked, 200);
  const api = apiOf(path, request);
  if (!api) return end(asked, 404);
  record.api = api.name;
  if (!isAccepted(record, options)) return fail(api, { kind: "unauthorized" }, record, response);
  if (path.endsWith("/models")) return end(asked, 200, modelList(api, options.models));
  const read = readBody(api, text);
  if (!read.ok) {
    record.problems = [...record.problems, read.problem];
    return fail(api, { kind: "invalid", message: read.problem }, record, response);
  }
  if (path.endsWith("/count_tokens"))
    return end(asked, 200, { input_tokens: inputTokens(read.request.items) });
  const { model } = read.request;
  if (options.models && !options.models.includes(model))
    return fail(api, { kind: "unknownModel", model }, record, response);
  const opening = openingOf(request.headers, read.request);
  await answerModelRequest({ api, sessions, opening, request: read.request, record, response, signal });
}

function apiOf(path: string, { method, headers }: IncomingMessage): Api | undefined {
  if (method === "POST" && /\/v1\/messages(?:\/count_tokens)?$/.test(path)) return anthropic;
  if (method === "POST" && path.endsWith("/responses")) return openai;
  if (method !== "GET" || !path.endsWith("/models")) return undefined;
  return headers["anthropic-version"] === undefined ? openai : anthropic;
}

function isAccepted(record: RequestRecord, { credentials }: RouteOptions): boolean {
  if (record.auth === undefined) record.problems = [...record.problems, "there was no credential"];
  return credentials === undefined || credentials.includes((record.auth ?? "").replace(/^Bearer /, ""));
}

type ReadBody = { ok: true; request: ModelRequest } | { ok: false; problem: string };

function readBody(api: Api, text: string): ReadBody {
  try {
    return { ok: true, request: api.read(JSON.parse(text)) };
  } catch (error) {
    return { ok: false, problem: `this is not a request to ${api.name}: ${String(error)}` };
  }
}

function end({ record, response }: Asked, status: number, body?: object): void {
  record.status = status;
  record.complete = true;
  response.writeHead(status, { "content-type": "application/json" });
  response.end(body && JSON.stringify(body));
}
