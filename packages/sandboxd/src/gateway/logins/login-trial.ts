import { type Credential, lineCredential, type Resolved } from "../credentials/credential.ts";
import type { CredentialDesk } from "../credentials/desk.ts";
import { type SourceFacts, sourceOfFile, vaultSources } from "../credentials/sources.ts";
import type { Refusal } from "../exchange/refusal.ts";
import { authRefusal } from "../exchange/refusals.ts";
import type { Upstream } from "../exchange/upstream.ts";
import { type Provider, providerFacts, upstreamUrl } from "../routes/provider.ts";
import { type Asked, askForModels } from "./ask-models.ts";
import type { KnownAnswers } from "./known-answers.ts";
import type { LoginCandidate, LoginProof, ProofRequest } from "./proof.ts";

export interface LoginTrialParts {
  env: NodeJS.ProcessEnv;
  desk: CredentialDesk;
  upstream: Upstream;
  known: KnownAnswers;
  now: () => Date;
}

type Found =
  | { outcome: "found"; provider: Provider; resolve: () => Promise<Resolved | undefined> }
  | { outcome: "unreadable"; refusal: Refusal }
  | { outcome: "absent" };

/** Best first: one API that is proved is enough, and what can be mended is told before what is not there. */
const preference: readonly LoginProof["outcome"][] = [
  "proved",
  "rejected",
  "expired",
  "unreadable",
  "timeout",
  "unreachable",
  "unverified",
  "absent",
];

/**
 * Whether a login is good, by what its API says to it. The value is seen here and by the API alone; where a login has
 * run out, it is renewed as for any request.
 */
export class LoginTrial {
  readonly #parts: LoginTrialParts;

  constructor(parts: LoginTrialParts) {
    this.#parts = parts;
  }

  async prove({ groups, upstreams = {} }: ProofRequest, signal: AbortSignal): Promise<LoginProof> {
    const env = { ...this.#parts.env, ...variablesOf(upstreams) };
    const proofs = await Promise.all(groups.map((candidates) => this.#proveFirst(candidates, env, signal)));
    const best = preference.flatMap((outcome) => proofs.filter((proof) => proof.outcome === outcome))[0];
    return best ?? this.#nothing();
  }

  async #proveFirst(
    candidates: readonly LoginCandidate[],
    env: NodeJS.ProcessEnv,
    signal: AbortSignal,
  ): Promise<LoginProof> {
    for (const candidate of candidates) {
      const found = await this.#find(candidate);
      if (found.outcome === "unreadable") return this.#refused("unreadable", found.refusal, undefined);
      if (found.outcome === "absent") continue;
      // What the asker does not hold itself goes where the gateway would send it, and nowhere else.
      const ours = candidate.from === "gateway" || candidate.from === "vault";
      const where = ours ? this.#parts.env : env;
      const proof = await this.#prove(found, where, signal);
      if (proof) return proof;
    }
    return this.#nothing();
  }

  async #find(candidate: LoginCandidate): Promise<Found> {
    if (candidate.from === "value") {
      const { kind, origin, value } = candidate;
      const resolved = lineCredential(kind, origin, value);
      return { outcome: "found", provider: providerOfKind(kind), resolve: async () => resolved };
    }
    const { desk } = this.#parts;
    for (const source of this.#sources(candidate)) {
      const there = await desk.isThere(source);
      if (!there.ok) return { outcome: "unreadable", refusal: there.refusal };
      if (!there.there) continue;
      return { outcome: "found", provider: source.provider, resolve: () => desk.glance(source) };
    }
    return { outcome: "absent" };
  }

  #sources(candidate: Exclude<LoginCandidate, { from: "value" }>): readonly SourceFacts[] {
    if (candidate.from === "gateway") return this.#parts.desk.sources(candidate.provider, candidate.billing);
    if (candidate.from === "vault") return vaultSources(candidate.secret);
    return sourceOfFile(candidate.from === "claude-login" ? "claude" : "codex", candidate.path);
  }

  /** undefined where it went away in between. A login that its API refuses is renewed, once. */
  async #prove(
    found: Extract<Found, { outcome: "found" }>,
    env: NodeJS.ProcessEnv,
    signal: AbortSignal,
  ): Promise<LoginProof | undefined> {
    const resolved = await found.resolve();
    if (!resolved) return undefined;
    if (!resolved.ok) return this.#refused(outcomeOf(resolved.refusal), resolved.refusal, undefined);
    const first = await this.#ask(found.provider, resolved.credential, env, signal);
    if (first.outcome !== "rejected" || !resolved.credential.renew) return first;
    const renewed = await resolved.credential.renew();
    const again = renewed.ok ? await found.resolve() : undefined;
    if (!again?.ok) return first;
    return this.#ask(found.provider, again.credential, env, signal);
  }

  async #ask(
    provider: Provider,
    credential: Credential,
    env: NodeJS.ProcessEnv,
    signal: AbortSignal,
  ): Promise<LoginProof> {
    const { known, upstream, now } = this.#parts;
    const where = upstreamUrl(env, provider);
    if (!where.ok) return this.#said("unverified", credential, `${where.reason}.`, "Mend it.");
    const before = known.of(credential, where.url);
    if (before) return this.#answered(provider, credential, before.accepted ? 200 : 401, before.at);
    const asked = await askForModels({ upstream, url: where.url, provider, credential, signal });
    if (asked.answer === "status") {
      known.note(credential, where.url, asked.status);
      return this.#answered(provider, credential, asked.status, now());
    }
    return this.#unanswered(provider, credential, where.url, asked);
  }

  #answered(provider: Provider, credential: Credential, status: number, at: Date): LoginProof {
    const { title } = providerFacts[provider];
    if (status >= 200 && status < 300)
      return this.#said("proved", credential, `${title} accepts it.`, null, at);
    if (status === 401) return this.#refused("rejected", authRefusal(provider, credential), credential);
    const outcome = status >= 500 ? "unreachable" : "unverified";
    return this.#said(outcome, credential, `${title} answered ${status}, which proves nothing.`, null, at);
  }

  #unanswered(
    provider: Provider,
    credential: Credential,
    { host }: URL,
    asked: Exclude<Asked, { answer: "status" }>,
  ): LoginProof {
    const { title } = providerFacts[provider];
    if (asked.answer === "other")
      return this.#said("unverified", credential, `${host} does not answer as ${title} does.`, null);
    if (asked.answer === "timeout") {
      const message = `${title} (${host}) did not answer within ${asked.seconds} seconds.`;
      return this.#said("timeout", credential, message, null);
    }
    return this.#said(
      "unreachable",
      credential,
      `${title} (${host}) cannot be reached: ${asked.code}.`,
      null,
    );
  }

  #nothing(): LoginProof {
    return this.#said("absent", undefined, "There is nothing to log in with.", null);
  }

  #refused(
    outcome: LoginProof["outcome"],
    { message, remedy }: Refusal,
    credential: Credential | undefined,
  ): LoginProof {
    return this.#said(outcome, credential, message, remedy);
  }

  #said(
    outcome: LoginProof["outcome"],
    credential: Credential | undefined,
    message: string,
    remedy: string | null,
    at = this.#parts.now(),
  ): LoginProof {
    const { kind = null, origin = null } = credential ?? {};
    return { outcome, at: at.toISOString(), kind, origin, message, remedy };
  }
}

/** What a credential that could not even be taken is like. */
function outcomeOf({ code, cause }: Refusal): LoginProof["outcome"] {
  if (cause !== undefined) return cause;
  return code === "credential_unusable" ? "rejected" : "unreadable";
}

function providerOfKind(kind: Credential["kind"]): Provider {
  if (kind === "openai_api_key") return "openai";
  return kind === "chatgpt_login" ? "chatgpt" : "anthropic";
}

/** The names under which upstreams are told of. */
function variablesOf(upstreams: Partial<Record<Provider, string>>): NodeJS.ProcessEnv {
  const entries = Object.entries(upstreams).map(([provider, url]) => [
    // Only providers are keys there.
    providerFacts[provider as Provider].variable,
    url,
  ]);
  return Object.fromEntries(entries);
}
