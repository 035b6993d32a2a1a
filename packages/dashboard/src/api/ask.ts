import { words } from "../words/words.ts";
import { ApiFailure, failureOf } from "./failure.ts";

export interface Question {
  query?: Readonly<Record<string, string | number | boolean | undefined>>;
  body?: unknown;
  /** For what makes something: asked again with the same key, it is made once. */
  key?: string;
  /** Of a stream: the last event that was heard. */
  lastEventId?: string | undefined;
  signal?: AbortSignal;
}

/** One interface comes with several changes of the network. */
const repeatAfterMs = 250;

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Asks the server, and answers with what the route says. Whatever goes wrong is an ApiFailure. */
export async function ask<Answer>(method: Method, path: string, question: Question = {}): Promise<Answer> {
  try {
    return await askOnce(method, path, question);
  } catch (error) {
    const isCut = failureOf(error).status === 0 && !question.signal?.aborted;
    if (!isCut || !isRepeatable(method, question.key)) throw error;
    return askAgain(method, path, question);
  }
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
  }).catch((error: unknown) => cutOff(error, signal));
  if (answer.ok) return answer;
  throw await refusal(answer);
}

async function askOnce<Answer>(method: Method, path: string, question: Question): Promise<Answer> {
  const answer = await send(method, path, question);
  // The types of answers are those of the server's routes, and both are of one version.
  return (await answer.json().catch((error: unknown) => cutOff(error, question.signal))) as Answer;
}

/** What is removed the second time was gone already, which is what was asked for. */
async function askAgain<Answer>(method: Method, path: string, question: Question): Promise<Answer> {
  await new Promise((resolve) => {
    setTimeout(resolve, repeatAfterMs);
  });
  return askOnce<Answer>(method, path, question).catch((error: unknown) => {
    if (method !== "DELETE" || failureOf(error).status !== 404) throw error;
    // Nobody looks at the answer to a removal.
    return {} as Answer;
  });
}

/**
 * Whether it may be asked once more where nobody knows if the server did it. Browsers cut all connections when the
 * machine gets an interface, which it does whenever a container starts. Reading is asked again by whoever reads.
 */
function isRepeatable(method: Method, key: string | undefined): boolean {
  // PATCH says what values are to be, as PUT does, and never by how much they change.
  return key !== undefined || method === "PUT" || method === "PATCH" || method === "DELETE";
}

function cutOff(error: unknown, signal: AbortSignal | undefined): never {
  if (signal?.aborted) throw error;
  throw new ApiFailure("unreachable", words.errors.unreachable, 0, words.errors.unreachableRemedy);
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
