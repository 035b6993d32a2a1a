import type { GatewayRun, NetworkLogRow, RequestRecord, Totals } from "@opentiger/sandboxd";

/** What became of one request of the CLI, as far as it says why a run failed. */
export type GatewayRecord = Pick<RequestRecord, "at" | "outcome" | "status" | "reason" | "error" | "until">;

/** What became of connections to one host, as far as it says why a run failed. */
export type NetworkRow = Pick<NetworkLogRow, "host" | "lastSeen" | "lastBlocked">;

export type GatewayUsage = Totals;

/** What a run needs to know of the model gateway: sandboxd's GatewayRun is one. */
export interface RunGateway extends Pick<GatewayRun, "env" | "usage"> {
  /** Those of this run, oldest first. */
  requests(): Promise<readonly GatewayRecord[]>;
  /** What the sandbox reached beside the gateway, and what it was refused. */
  network?(): Promise<readonly NetworkRow[]>;
  /** When the last byte of a model's answer came. */
  activity(): Promise<{ lastByteAt: string | null }>;
}

/** The gateway is on this machine; a run goes on without the word of one that does not answer. */
export const gatewayTimeoutMs = 5_000;
