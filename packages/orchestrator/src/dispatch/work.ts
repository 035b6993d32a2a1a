import type { StageKind } from "@opentiger/schema";
import type { Place } from "../place.ts";
import type { Lease } from "../state/lease.ts";

type DoStage = (place: Place, lease: Lease, signal: AbortSignal) => Promise<void>;

/** What is done in a stage of each kind. Each goes on where another process stopped. */
export interface StageWork extends Readonly<Record<StageKind, DoStage>> {
  /** Ends the stage, or opens it for another try, because of what was thrown in it. */
  readonly failed: (place: Place, lease: Lease, error: unknown) => Promise<void>;
}
