import { shortestSecret } from "../exchange/redactor.ts";
import type { Refusal } from "../exchange/refusal.ts";

export const credentialKinds = [
  "anthropic_api_key",
  "claude_setup_token",
  "claude_login",
  "openai_api_key",
  "chatgpt_login",
] as const;
export type CredentialKind = (typeof credentialKinds)[number];

/** A subscription is paid anyway; a key costs for each request. */
export type Billing = "subscription" | "api_key";

/** A credential as it goes into one request. */
export interface Credential {
  kind: CredentialKind;
  /** Where it came from, for people: never a value. */
  origin: string;
  headers: Readonly<Record<string, string>>;
  /** What must not be seen in an answer. */
  secrets: readonly string[];
  /** Whether a new one could be had after the API refused this one; absent where nothing could be done. */
  renew?: () => Promise<RenewResult>;
}

export type RenewResult = { ok: true } | { ok: false; refusal: Refusal };

export type Resolved = { ok: true; credential: Credential } | { ok: false; refusal: Refusal };

export function billingOf(kind: CredentialKind): Billing {
  return kind === "anthropic_api_key" || kind === "openai_api_key" ? "api_key" : "subscription";
}

export function refusedWith(refusal: Refusal): { ok: false; refusal: Refusal } {
  return { ok: false, refusal };
}

/** A credential that is one line of text. What cannot stand in a header was never one. */
export function lineCredential(kind: CredentialKind, origin: string, text: string): Resolved {
  const value = text.trim();
  if (!isUsable(value)) return refusedWith(unusable(origin));
  return { ok: true, credential: { kind, origin, headers: headersFor(kind, value), secrets: [value] } };
}

export function headersFor(kind: CredentialKind, value: string): Record<string, string> {
  if (kind === "anthropic_api_key") return { "x-api-key": value };
  const bearer = { authorization: `Bearer ${value}` };
  if (kind === "openai_api_key" || kind === "chatgpt_login") return bearer;
  return { ...bearer, "anthropic-beta": "oauth-2025-04-20" };
}

export function isUsable(value: string): boolean {
  return value.length >= shortestSecret && /^[\x21-\x7e]+$/.test(value);
}

export function unusable(origin: string): Refusal {
  return {
    code: "credential_unusable",
    message: `What is kept as ${origin} is not a credential: it is empty, too short or has spaces in it.`,
    remedy: "Put the right value there.",
  };
}
