import type { FailureType } from "@opentiger/schema";
import type { AgentError } from "../driver.ts";
import type { GatewayRecord } from "../run/gateway.ts";

export interface GatewayFailure {
  type: FailureType;
  until: string | null;
}

/** What the gateway answers when it refuses: every CLI stops at it at once. */
const refusalStatus = 400;

/** Of the last requests one that was refused is looked for: some CLIs ask for a title beside their work. */
const lookedAt = 5;

/** What the gateway's own refusals mean. Those that are missing end no run: a path that it does not carry, for example. */
const refusals: Readonly<Record<string, FailureType>> = {
  budget: "budget",
  quota: "quota",
  auth: "auth",
  not_granted: "auth",
  no_credential: "auth",
  credential_unusable: "auth",
  lease_ended: "auth",
  vault: "auth",
  login: "auth",
  unknown_caller: "auth",
  too_large: "context",
  too_many: "overloaded",
  upstream_setting: "policy",
};

/** What the APIs call their own errors. Those that are missing may be anything: the CLI knows more. */
const apiErrors: Readonly<Record<string, FailureType>> = {
  overloaded_error: "overloaded",
  api_error: "overloaded",
  timeout_error: "overloaded",
  server_error: "overloaded",
  server_is_overloaded: "overloaded",
  slow_down: "overloaded",
  rate_limit_error: "quota",
  rate_limit_exceeded: "quota",
  insufficient_quota: "quota",
  usage_limit_reached: "quota",
  billing_error: "quota",
  authentication_error: "auth",
  permission_error: "auth",
  invalid_api_key: "auth",
  request_too_large: "context",
  context_length_exceeded: "context",
};

/**
 * Why a run that failed did so, as the gateway saw it. The last request decides; where that one went well, a refusal
 * shortly before it does, if the CLI itself tells of nothing else.
 */
export function gatewayFailure(
  records: readonly GatewayRecord[],
  error: AgentError | null,
): GatewayFailure | undefined {
  const asked = records.filter(({ outcome, reason }) => outcome !== "refused" || refusals[reason ?? ""]);
  const last = asked.at(-1);
  if (!last) return undefined;
  const failure = failureOf(last);
  if (failure) return failure;
  if (error?.status !== refusalStatus && !(error && error.type === null)) return undefined;
  const refused = asked.slice(-lookedAt).findLast(({ outcome }) => outcome === "refused");
  return refused && failureOf(refused);
}

function failureOf(record: GatewayRecord): GatewayFailure | undefined {
  const { until } = record;
  const type = failureType(record);
  return type && { type, until: type === "quota" ? until : null };
}

function failureType({ outcome, status, reason, error }: GatewayRecord): FailureType | undefined {
  if (outcome === "refused") return refusals[reason ?? ""];
  // Some come in the middle of an answer that began with 200.
  const named = apiErrors[error ?? ""];
  if (named) return named;
  switch (outcome) {
    case "failed":
      return "network";
    case "cut":
      // A client that went away did so for a reason of its own.
      return reason === "client_gone" ? undefined : "network";
    case "answered":
      return status === null ? undefined : statusFailure(status);
  }
}

/** What a status of a model's API means by itself. 400 may be anything: the CLI knows more. */
export function statusFailure(status: number): FailureType | undefined {
  if (status === 401 || status === 403) return "auth";
  if (status === 402 || status === 429) return "quota";
  if (status === 413) return "context";
  return status >= 500 ? "overloaded" : undefined;
}
