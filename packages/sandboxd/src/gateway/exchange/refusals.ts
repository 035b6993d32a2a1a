import type { IncomingMessage } from "node:http";
import type { Credential, CredentialKind } from "../credentials/credential.ts";
import { type Provider, providerFacts } from "../routes/provider.ts";
import type { Refusal } from "./refusal.ts";

export function unknownPath({ method, url }: IncomingMessage): Refusal {
  const path = (url ?? "").split("?")[0]?.slice(0, 200);
  return {
    code: "unknown_path",
    message: `The model gateway does not carry ${method} ${path}.`,
    remedy: "It carries only what a coding agent needs of the models' APIs.",
  };
}

export const sizeRefusal: Refusal = {
  code: "too_large",
  message: "The request is larger than 64 MB.",
  remedy: "Send a smaller one.",
};

export const tooManyRefusal: Refusal = {
  code: "too_many",
  message: "This sandbox has 64 requests under way.",
  remedy: "Wait for one of them to end.",
};

export function upstreamRefusal(reason: string): Refusal {
  return { code: "upstream_setting", message: `${reason}.`, remedy: "Mend it and restart sandboxd." };
}

export function quotaRefusal(provider: Provider, until: Date): Refusal {
  return {
    code: "quota",
    message: `${providerFacts[provider].title} says that the quota is used up until ${until.toISOString()}.`,
    remedy: "Go on after that, or use another credential.",
  };
}

export function authRefusal(provider: Provider, { kind, origin }: Credential): Refusal {
  return {
    code: "auth",
    message: `Authentication failed: ${providerFacts[provider].title} refused the credential of the host (${origin}).`,
    remedy: remedies[kind],
  };
}

const remedies: Readonly<Record<CredentialKind, string>> = {
  anthropic_api_key:
    "Put in one that works with `opentiger secrets update anthropic_api_key`, or set ANTHROPIC_API_KEY.",
  claude_setup_token: "Run `claude setup-token` and `opentiger secrets update claude_setup_token`.",
  claude_login: "Log in anew on the host with `claude /login`.",
  openai_api_key:
    "Put in one that works with `opentiger secrets update openai_api_key`, or set OPENAI_API_KEY.",
  chatgpt_login: "Log in anew on the host with `codex login`.",
};
