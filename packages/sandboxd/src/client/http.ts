import { type IncomingMessage, request } from "node:http";
import { SandboxError } from "@opentiger/sandbox";
import { isErrorCode } from "@opentiger/schema";
import { apiError } from "../api.ts";

/** The answers are small; a log that is followed comes as a stream. */
const maxAnswerBytes = 16 * 1024 * 1024;

export interface Call {
  socket: string;
  method: "GET" | "POST" | "DELETE";
  path: string;
  body?: unknown;
  signal?: AbortSignal;
}

/** One question to sandboxd. Rejects with ENOENT or ECONNREFUSED when it does not run, with its error when it refused. */
export async function call(asked: Call): Promise<unknown> {
  const answer = await send(asked);
  const text = await read(answer);
  const value: unknown = text === "" ? {} : JSON.parse(text);
  if (answer.statusCode === 200) return value;
  throw refused(value);
}

/** The lines of an answer that goes on for as long as it is read. */
export async function* follow(asked: Call): AsyncGenerator<unknown> {
  const answer = await send(asked);
  if (answer.statusCode !== 200) throw refused(JSON.parse(await read(answer)));
  let rest = "";
  // Node types the chunks of a stream with an encoding as any; they are strings.
  for await (const chunk of answer.setEncoding("utf8") as AsyncIterable<string>) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line !== "") yield JSON.parse(line);
  }
}

function send({ socket, method, path, body, signal }: Call): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? "" : JSON.stringify(body);
    const outgoing = request({
      socketPath: socket,
      method,
      path,
      headers: { "content-type": "application/json", "content-length": Buffer.byteLength(text) },
      ...(signal ? { signal } : {}),
    });
    outgoing.once("response", resolve);
    outgoing.once("error", reject);
    outgoing.end(text);
  });
}

async function read(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxAnswerBytes) throw new SandboxError("internal", "sandboxd answered too much");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function refused(value: unknown): SandboxError {
  const { code, message, remedy } = apiError.parse(value);
  return new SandboxError(
    isErrorCode(code) ? code : "internal",
    message,
    remedy === undefined ? {} : { remedy },
  );
}
