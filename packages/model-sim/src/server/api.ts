import type { ModelRequest } from "../conversation/model-request.ts";
import type { Failure, Reply, Tokens } from "../scenario/reply.ts";
import type { EventStream, SseEvent } from "./sse.ts";

/** A model's API: how it is read, and how it answers. Each is a folder of its own. */
export interface Api {
  name: "anthropic" | "openai";
  /** Throws where the body is none of this API. */
  read(body: unknown): ModelRequest;
  /** What the API itself would refuse a request for; undefined where it is as it should be. */
  objection(request: ModelRequest): string | undefined;
  stream(stream: EventStream, model: string, reply: Reply): Promise<void>;
  /** The same in one piece. */
  whole(model: string, reply: Reply): object;
  /** What the usage fields of this reply say, as far as it goes. */
  told(reply: Reply): Tokens;
  error(failure: Failure, now: Date): HttpError;
  /** For failures that this API tells in a stream that began well; undefined for all others. */
  failedStream(failure: Failure, model: string): SseEvent[] | undefined;
  garbage: string;
}

export interface HttpError {
  status: number;
  body: object;
  headers: Readonly<Record<string, string>>;
}
