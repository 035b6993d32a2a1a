import type { Provider } from "../routes/provider.ts";

export type RefusalCode =
  | "unknown_path"
  | "unknown_caller"
  | "too_large"
  | "too_many"
  | "not_granted"
  | "no_credential"
  | "credential_unusable"
  | "lease_ended"
  | "vault"
  | "login"
  | "auth"
  | "budget"
  | "quota"
  | "upstream_setting";

/** Something we do not do for a caller: why, and what would help. Never holds a credential. */
export interface Refusal {
  code: RefusalCode;
  message: string;
  remedy: string;
  /** Of a login that cannot be used: whether it has run out, could not be renewed just now, or could not be looked at. */
  cause?: "expired" | "unreachable" | "unreadable";
}

/** All CLIs stop at once on this; on 401, 402, 403 and 429 they try again or believe that they are logged out. */
export const refusalStatus = 400;

/** In the words of the API that the client believes it talks to. */
export function refusalBody(provider: Provider | undefined, { code, message, remedy }: Refusal): string {
  const text = `openTiger: ${message} ${remedy}`;
  if (provider === "openai" || provider === "chatgpt") {
    return JSON.stringify({ error: { message: text, type: "invalid_request_error", param: null, code } });
  }
  return JSON.stringify({ type: "error", error: { type: "invalid_request_error", message: text } });
}

/** For what may pass by itself, so that the client tries again: the upstream is away, a token was just renewed. */
export function passingBody(provider: Provider, message: string): string {
  const text = `openTiger: ${message}`;
  if (provider === "anthropic") {
    return JSON.stringify({ type: "error", error: { type: "api_error", message: text } });
  }
  return JSON.stringify({ error: { message: text, type: "server_error", param: null, code: null } });
}
