import { z } from "zod";

/** failed: allowed, and then not resolved or not reached. cut: was open, and a changed policy ended it. */
export type LogVerdict = "allowed" | "blocked" | "failed" | "cut";

/** What happened to one connection or request. Hosts are canonical; paths and queries, which carry secrets, are not here. */
export interface LogEntry {
  host: string;
  port: number;
  verdict: LogVerdict;
  rule: string;
  /** A sentence, where the rule alone does not say it. */
  reason?: string;
}

export interface LogEvent extends LogEntry {
  time: string;
  sandboxId: string;
}

/** All that happened to one host and port. */
export const logRow = z.object({
  host: z.string(),
  port: z.number().int(),
  /** The rule that decided last. */
  rule: z.string(),
  allowed: z.number().int(),
  blocked: z.number().int(),
  failed: z.number().int(),
  /** Towards the sandbox. */
  bytesIn: z.number(),
  bytesOut: z.number(),
  firstSeen: z.string(),
  lastSeen: z.string(),
  /** When something last went through; absent in what was written before this was kept. */
  lastReached: z.string().optional(),
  /** Absent where it never was blocked. */
  lastBlocked: z.string().optional(),
});
export type LogRow = z.infer<typeof logRow>;

/** Stands for what was no host at all, and for the hosts beyond those that have a row. */
export const invalidHost = "(invalid)";
export const otherHosts = "(others)";
