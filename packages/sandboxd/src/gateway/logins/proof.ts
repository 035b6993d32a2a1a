import { z } from "zod";
import { credentialKinds } from "../credentials/credential.ts";
import { providers } from "../routes/provider.ts";

/** Where a login may be. The first of a list that is there is the one an agent would use. */
export const loginCandidate = z.discriminatedUnion("from", [
  /** Whatever the gateway itself would use for this API. */
  z.object({
    from: z.literal("gateway"),
    provider: z.enum(providers),
    billing: z.enum(["subscription", "api_key"]).optional(),
  }),
  z.object({ from: z.literal("vault"), secret: z.string() }),
  /** Files in which the CLIs keep their logins. Codex's may hold an API key instead. */
  z.object({ from: z.literal("claude-login"), path: z.string() }),
  z.object({ from: z.literal("codex-login"), path: z.string() }),
  /** What the asker has itself. It is used for this one question, and kept nowhere. */
  z.object({
    from: z.literal("value"),
    kind: z.enum(credentialKinds),
    origin: z.string(),
    value: z.string(),
  }),
]);
export type LoginCandidate = z.infer<typeof loginCandidate>;

/** More lists where an agent has the choice of several APIs: one that is proved is enough. */
export const proofRequest = z.object({
  groups: z.array(z.array(loginCandidate).max(16)).max(4),
  /** Where the agent would send it, where that is not where the gateway does. */
  upstreams: z.partialRecord(z.enum(providers), z.string()).default({}),
});
export type ProofRequest = z.input<typeof proofRequest>;

/**
 * proved: its API answered a question that only a good credential is answered. rejected: the API refused it. expired: it
 * has run out and cannot be renewed. absent: there is none. unreadable: it is not known whether there is one. unreachable,
 * timeout: the API could not be asked. unverified: the answer proves neither.
 */
const proofOutcomes = [
  "proved",
  "rejected",
  "expired",
  "absent",
  "unreadable",
  "unreachable",
  "timeout",
  "unverified",
] as const;

export const loginProof = z.object({
  outcome: z.enum(proofOutcomes),
  /** When its API was asked: perhaps by an agent, some hours ago. */
  at: z.iso.datetime(),
  kind: z.enum(credentialKinds).nullable(),
  /** For people; never a value. */
  origin: z.string().nullable(),
  message: z.string(),
  remedy: z.string().nullable(),
});
export type LoginProof = z.infer<typeof loginProof>;
