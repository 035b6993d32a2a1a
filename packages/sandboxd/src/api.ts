import { z } from "zod";
import { logRow } from "./egress/log/entry.ts";
import { budgetLimits } from "./gateway/budgets/budget.ts";
import { keyVariables } from "./gateway/credentials/given-keys.ts";
import { requestRecord } from "./gateway/metering/record.ts";
import { totals } from "./gateway/metering/totals.ts";
import { brokeredAgents } from "./gateway/placeholders/placeholders.ts";

/** What the command line and sandboxd say to each other, on a socket that only the owner can enter. */
export const sandboxdProtocol = 3;

/** What of the environment decides how docker finds its engine. */
export const engineVariables = [
  "DOCKER_HOST",
  "DOCKER_CONTEXT",
  "DOCKER_CONFIG",
  "DOCKER_TLS_VERIFY",
  "DOCKER_CERT_PATH",
  "HOME",
] as const;

/** How an engine is found: what the asking command had in its environment. */
export const engineAddress = z.object({
  context: z.string().optional(),
  env: z.record(z.string(), z.string()),
});
export type EngineAddress = z.infer<typeof engineAddress>;

export const attachRequest = z.object({ engine: engineAddress.optional() });

/** The flags of `network proxy`; what they mean is checked where they are applied. */
const words = z.array(z.string()).optional();
export const networkChangeRequest = z.strictObject({
  policy: z.string().optional(),
  allowHost: words,
  blockHost: words,
  bypassHost: words,
  allowCidr: words,
  blockCidr: words,
  bypassCidr: words,
});
export type NetworkChangeRequest = z.infer<typeof networkChangeRequest>;

export const hostPortsRequest = z.object({ ports: z.array(z.number().int().min(1).max(65_535)).max(64) });

export const publishRequest = z.object({
  inside: z.number().int().min(1).max(65_535),
  /** Absent: any free port. */
  publish: z.number().int().min(1).max(65_535).optional(),
});

export const publishedPort = z.object({ inside: z.number().int(), published: z.number().int() });
export type PublishedPort = z.infer<typeof publishedPort>;

/** One that is remembered. It is not open while its sandbox is stopped, or another program has taken it. */
export const listedPort = publishedPort.extend({ open: z.boolean().default(true) });
export type ListedPort = z.infer<typeof listedPort>;

/** One row of the network log, with the sandbox it is about. */
export const networkLogRow = logRow.omit({ lastReached: true }).extend({ sandbox: z.string() });
export type NetworkLogRow = z.infer<typeof networkLogRow>;

export const networkLogEvent = z.object({
  time: z.string(),
  sandbox: z.string(),
  host: z.string(),
  port: z.number().int(),
  verdict: z.enum(["allowed", "blocked", "failed", "cut"]),
  rule: z.string(),
  reason: z.string().optional(),
});
export type NetworkLogEvent = z.infer<typeof networkLogEvent>;

/** From when on what was reached counts. */
export const learnQuery = z.object({
  since: z.iso
    .datetime()
    .nullish()
    .transform((time) => (time ? new Date(time).toISOString() : undefined)),
});

export const learnedRules = z.object({
  policy: z.string(),
  allowHosts: z.array(z.string()),
  /** false when more was reached than the log remembers. */
  complete: z.boolean(),
});

/** API keys of the asker's environment, for this one sandbox; sandboxd keeps them in memory only. */
export const credentialsRequest = z.object({
  keys: z.partialRecord(z.enum(keyVariables), z.string().max(4096)).default({}),
});

const knownCredential = z.object({ provider: z.string(), kind: z.string(), origin: z.string() });

/** What came of giving a sandbox the use of this machine's credentials. */
export const brokeredSandbox = z.object({
  /** false where there is none for its agent: it has to log in by itself. */
  given: z.boolean(),
  agents: z.array(z.string()),
  credentials: z.array(knownCredential),
  trouble: z.string().nullable(),
});
export type BrokeredSandbox = z.infer<typeof brokeredSandbox>;

export const runId = z.string().regex(/^[A-Za-z0-9-]{8,64}$/, "a run's id is 8 to 64 letters, digits and -");
export const loopId = z.string().min(1).max(128);

/** For which run a sandbox works from now on. */
export const runBinding = z.object({ run: runId, loop: loopId.optional() });

/** Of one run, the oldest first. */
export const runRequests = z.array(requestRecord);

/** Of one run: when a byte last went to a model or came from one, and how many of its requests are under way. */
export const runActivity = z.object({ lastByteAt: z.string().nullable(), inFlight: z.number().int() });

/** A run of an agent on the host itself; it is over when that process is. */
export const hostRunRequest = z.object({
  run: runId,
  name: z.string().min(1).max(128),
  loop: loopId.optional(),
  agent: z.enum(brokeredAgents),
  pid: z.number().int().positive(),
});
export type HostRunRequest = z.infer<typeof hostRunRequest>;

/** What it finds in place of a credential: a token that is good for it alone. Paths of files are below HOME. */
export const hostRun = z.object({
  given: z.boolean(),
  env: z.record(z.string(), z.string()),
  files: z.array(z.object({ path: z.string(), content: z.string(), mode: z.number().int() })),
  trouble: z.string().nullable(),
});
export type HostRun = z.infer<typeof hostRun>;

/** What `sandbox auth` shows. */
export const sandboxAuth = z.object({
  granted: z.boolean(),
  grantedAt: z.string().nullable(),
  credentials: z.array(
    knownCredential.extend({
      lease: z.object({ id: z.string(), expiresAt: z.string() }).nullable(),
      quota: z.object({ until: z.string().nullable() }).loose().nullable(),
      authFailed: z.object({ at: z.string() }).loose().nullable(),
    }),
  ),
  trouble: z.string().nullable(),
});
export type SandboxAuthStatus = z.infer<typeof sandboxAuth>;

/** What a sandbox, a run or a loop has used, and what it may use. */
export const sandboxUsage = z.object({ totals, budget: budgetLimits.nullable() });
export type SandboxUsage = z.infer<typeof sandboxUsage>;

export const sandboxdStatus = z.object({
  protocol: z.number().int(),
  version: z.string(),
  pid: z.number().int(),
  startedAt: z.string(),
  sandboxes: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      policy: z.string(),
      connections: z.number().int(),
      ports: z.array(publishedPort),
      /** Why it has no network, where it has none. */
      trouble: z.string().nullable(),
    }),
  ),
  /** How many agents on the host itself have the gateway. One of an older protocol does not say, and is still to be stopped. */
  hostRuns: z.number().int().default(0),
});
export type SandboxdStatus = z.infer<typeof sandboxdStatus>;

/** An error as it travels; the codes are those of the schema. */
export const apiError = z.object({ code: z.string(), message: z.string(), remedy: z.string().optional() });
