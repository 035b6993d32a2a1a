/** What the model sends back, in the same words for both APIs. */
export interface Reply {
  parts: readonly Part[];
  stop: "end" | "tool" | "refusal";
  /** How the stream ends: as it should, in the middle, or in nonsense. */
  ending: "whole" | "cut" | "garbage";
  tokens: Tokens;
}

export type Part =
  | { kind: "text"; text: string }
  | { kind: "thinking"; text: string; ms: number }
  | { kind: "wait"; ms: number }
  | { kind: "refusal"; text: string }
  | { kind: "call"; call: ToolCall };

export interface ToolCall {
  id: string;
  name: string;
  namespace: string | undefined;
  /** Text for a tool that takes plain text. */
  input: Readonly<Record<string, unknown>> | string;
}

/** The four are disjoint, whatever an API calls them. */
export interface Tokens {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

export const noTokens: Tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export function sumOf(left: Tokens, right: Tokens): Tokens {
  return {
    input: left.input + right.input,
    output: left.output + right.output,
    cacheRead: left.cacheRead + right.cacheRead,
    cacheWrite: left.cacheWrite + right.cacheWrite,
  };
}

/** A refusal of the request, before anything of a reply. */
export type Failure =
  | { kind: "rateLimit"; resetSeconds: number | undefined }
  | { kind: "unauthorized" }
  | { kind: "serverError" }
  | { kind: "overloaded" }
  | { kind: "contextTooLong" }
  | { kind: "unknownModel"; model: string }
  | { kind: "invalid"; message: string };

/** In more than one piece, as text comes from a model. */
export function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((piece) => piece !== "");
}
