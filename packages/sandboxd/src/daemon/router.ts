import type { IncomingMessage, ServerResponse } from "node:http";
import { SandboxError } from "@opentiger/sandbox";
import { CodedError } from "@opentiger/schema";
import { ZodError } from "zod";

const maxBodyBytes = 1024 * 1024;

export interface Asked {
  /** What stood at the `:name` parts of the route. */
  parameters: Readonly<Record<string, string>>;
  query: URLSearchParams;
  body: unknown;
  /** Aborted when nobody waits for the answer any more. */
  signal: AbortSignal;
}

/** Lines that are sent as they come. */
export class Lines {
  constructor(readonly lines: AsyncIterable<unknown>) {}
}

export type Handler = (asked: Asked) => unknown;

/** Routes are `METHOD /path/:name`. */
export type Routes = Readonly<Record<string, Handler>>;

/** Answers one request: what a handler returns as JSON, `Lines` as one JSON a line, what it throws as an error. */
export async function answer(
  routes: Routes,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  try {
    const { handler, parameters, query } = find(routes, request);
    const result = await handler({ parameters, query, body: await readBody(request), signal: gone.signal });
    if (result instanceof Lines) return await sendLines(result, response);
    send(response, 200, result ?? {});
  } catch (error) {
    if (!response.headersSent) send(response, 400, asError(error));
    else response.destroy();
  }
}

function find(routes: Routes, request: IncomingMessage) {
  const url = new URL(request.url ?? "/", "http://sandboxd");
  for (const [route, handler] of Object.entries(routes)) {
    const [method, path = ""] = route.split(" ");
    const parameters = method === request.method ? match(path, url.pathname) : undefined;
    if (parameters) return { handler, parameters, query: url.searchParams };
  }
  throw new SandboxError("unsupported", `sandboxd does not know ${request.method} ${url.pathname}`, {
    remedy: "another version of it may be running: opentiger sandboxd stop",
  });
}

function match(route: string, path: string): Record<string, string> | undefined {
  const wanted = route.split("/");
  const given = path.split("/");
  if (wanted.length !== given.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = decodeURIComponent(given[index] ?? "");
    if (part.startsWith(":")) parameters[part.slice(1)] = value;
    else if (part !== value) return undefined;
  }
  return parameters;
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) throw new SandboxError("usage", "the request is too large");
    chunks.push(chunk);
  }
  return size === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString("utf8"));
}

async function sendLines({ lines }: Lines, response: ServerResponse): Promise<void> {
  response.writeHead(200, { "content-type": "application/x-ndjson" });
  response.flushHeaders();
  for await (const line of lines) {
    const room = response.write(`${JSON.stringify(line)}\n`);
    if (!room) await new Promise((resolve) => response.once("drain", resolve).once("close", resolve));
    if (response.destroyed) return;
  }
  response.end();
}

function send(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

function asError(error: unknown): { code: string; message: string; remedy?: string } {
  if (error instanceof CodedError) return error.toJSON();
  if (error instanceof ZodError)
    return { code: "usage", message: error.issues.map(({ message }) => message).join("; ") };
  return { code: "internal", message: error instanceof Error ? error.message : String(error) };
}
