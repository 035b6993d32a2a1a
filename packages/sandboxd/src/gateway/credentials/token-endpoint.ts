import type { IncomingMessage } from "node:http";
import { errno, jsonOf } from "@opentiger/schema";
import type { Upstream } from "../exchange/upstream.ts";

const answerMs = 30_000;
const largestAnswer = 256 * 1024;

export type TokenAnswer =
  | { outcome: "renewed"; answer: unknown }
  /** The endpoint said no: asking again changes nothing. */
  | { outcome: "refused"; status: number }
  | { outcome: "unreachable"; reason: string };

/** Asks for a new token. What is said about a failure never quotes what was sent or answered. */
export async function askForToken(
  upstream: Upstream,
  { url, body }: { url: string; body: Record<string, string> },
): Promise<TokenAnswer> {
  const bytes = Buffer.from(JSON.stringify(body));
  const target = URL.canParse(url) ? new URL(url) : undefined;
  if (!target) return { outcome: "unreachable", reason: "the address of the token endpoint is not a URL" };
  try {
    const response = await upstream.ask({
      url: target,
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json",
        "accept-encoding": "identity",
        "content-length": bytes.length,
      },
      signal: AbortSignal.timeout(answerMs),
      send: (request) => request.end(bytes),
    });
    const text = await readAll(response);
    const { statusCode: status = 0 } = response;
    if (status === 200) return { outcome: "renewed", answer: jsonOf(text) };
    if (status >= 400 && status < 500 && status !== 429 && status !== 408)
      return { outcome: "refused", status };
    return { outcome: "unreachable", reason: `${target.host} answered ${status}` };
  } catch (error) {
    const code = errno(error) ?? "no answer";
    return { outcome: "unreachable", reason: `${target.host} cannot be reached (${code})` };
  }
}

async function readAll(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > largestAnswer) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
