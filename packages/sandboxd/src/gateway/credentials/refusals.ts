import type { GatewayCaller } from "../caller.ts";
import type { Refusal } from "../exchange/refusal.ts";
import { type Provider, providerFacts } from "../routes/provider.ts";

export function notGranted({ sandboxName }: GatewayCaller): Refusal {
  return {
    code: "not_granted",
    message: `The sandbox ${sandboxName} was given no credentials.`,
    remedy: `Give it some with \`opentiger sandbox auth ${sandboxName} --grant\`.`,
  };
}

export function nothingFor(provider: Provider): Refusal {
  return {
    code: "no_credential",
    message: `Authentication required: no credential for ${providerFacts[provider].title} is known on the host.`,
    remedy: remedies[provider],
  };
}

/** It was in memory only, and sandboxd was started anew. */
export function keyForgotten(name: string, sandbox: string): Refusal {
  return {
    code: "no_credential",
    message: `Authentication required: the ${name} that ${sandbox} was given is gone, since sandboxd was started anew.`,
    remedy: `Give it again, with ${name} set: \`opentiger sandbox auth ${sandbox} --grant\`. A key in the vault stays.`,
  };
}

const remedies: Readonly<Record<Provider, string>> = {
  anthropic:
    "Run `claude setup-token` and `opentiger secrets add claude_setup_token`, or log in with `claude`, or set ANTHROPIC_API_KEY.",
  openai: "Run `opentiger secrets add openai_api_key`, or set OPENAI_API_KEY.",
  chatgpt: "Run `codex login` on the host, or `opentiger secrets add codex_auth_json < ~/.codex/auth.json`.",
};

export function notALogin(secret: string): Refusal {
  return {
    code: "credential_unusable",
    message: `The secret ${secret} is not a ChatGPT login.`,
    remedy:
      "Log in with `codex login`, then `opentiger secrets update codex_auth_json < ~/.codex/auth.json`.",
  };
}
