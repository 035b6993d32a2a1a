import type { Ward } from "./ward.ts";

export type FindingStatus = "ok" | "warn" | "fail";

/** One thing that was looked at. */
export interface Finding {
  status: FindingStatus;
  message: string;
  /** What mends it; absent where all is well. */
  remedy?: string | undefined;
  /** Only where doing it unasked can hurt nobody. Says what it has done. */
  fix?: ((ward: Ward) => Promise<string>) | undefined;
}

/** Every check has this shape. It looks and changes nothing; what it throws is a finding too. */
export interface Check {
  name: string;
  /** So long it may take on a machine that is busy; what takes longer is itself a finding. */
  timeoutMs?: number;
  look(ward: Ward): Promise<Finding[]> | Finding[];
}

export function ok(message: string): Finding {
  return { status: "ok", message };
}

export function warn(message: string, remedy: string, fix?: Finding["fix"]): Finding {
  return { status: "warn", message, remedy, fix };
}

export function fail(message: string, remedy: string, fix?: Finding["fix"]): Finding {
  return { status: "fail", message, remedy, fix };
}
