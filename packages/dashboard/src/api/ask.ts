import { words } from "../words/words.ts";
import { ApiFailure } from "./failure.ts";

export interface Question {
  query?: Readonly<Record<string, string | number | boolean | undefined>>;
  body?: unknown;
  /** For what makes something: asked again with the same key, it is made once. */
  key?: string;
  /** Of a stream: the last event that was heard. */
  lastEventId?: string | undefined;
  signal?: AbortSignal;
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Asks the server, and answers with what the route says. Whatever goes wrong is an ApiFailure. */
export async function ask<Answer>(method: Method, path: string, question: Question = {}): Promise<Answer> {
  const answer = await send(method, path, question);
  // The types of answers are those of the server's routes, and both are of one version.
  return (await answer.json()) as Answer;
}

/** The same for what is answered with text. */
export async function askText(path: string, question: Question = {}): Promise<string> {
  return (await send("GET", path, question)).text();
}

/** The same for what goes on; whoever asked reads the body. */
export async function send(
  method: Method,
  path: string,
  { query = {}, body, key, lastEventId, signal }: Question = {},
): Promise<Response> {
  const headers: Record<string, string> = { accept: "application/json" };
  if (body !== undefined) headers["content-type"] = "application/json";
  if (key !== undefined) headers["idempotency-key"] = key;
  if (lastEventId !== undefined) headers["last-event-id"] = lastEventId;
  const answer = await fetch(withQuery(path, query), {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new ApiFailure("unreachable", words.errors.unreachable, 0, words.errors.unreachableRemedy);
  });
  if (answer.ok) return answer;
  throw await refusal(answer);
}

/** One part of a path. */
export function part(value: string): string {
  return encodeURIComponent(value);
}

function withQuery(path: string, query: Exclude<Question["query"], undefined>): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

async function refusal(answer: Response): Promise<ApiFailure> {
  const said: unknown = await answer.json().catch(() => undefined);
  const message = textOf(said, "message") ?? words.errors.noReason(answer.status);
  return new ApiFailure(textOf(said, "code") ?? "internal", message, answer.status, textOf(said, "remedy"));
}

function textOf(said: unknown, name: string): string | undefined {
  const value: unknown = typeof said === "object" && said !== null ? Reflect.get(said, name) : undefined;
  return typeof value === "string" ? value : undefined;
}
