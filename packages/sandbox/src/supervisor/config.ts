import type { PrepareRequest } from "@opentiger/schema";
import type { DoorKind } from "../protocol/doors.ts";
import { supervisorConfigVariable } from "../protocol/paths.ts";

/**
 * How the supervisor keeps itself apart from the commands it runs.
 * separate-uid: it is root with few capabilities, commands have another uid and none.
 * agent-root: commands are uid 0 with an empty bounding set; it has a reserved uid and ambient capabilities.
 * none: host mode, the same uid; nothing is kept apart and we say so.
 */
export type Isolation = "separate-uid" | "agent-root" | "none";

export interface SupervisorConfig {
  isolation: Isolation;
  agentUid: number;
  agentGid: number;
  home: string;
  /** Where commands start when no directory is given. */
  workDir: string;
  carrierDir: string | null;
  controlSocket: string | null;
  prepare: PrepareRequest | null;
  /** The command that runs setpriv, where it is not the image's own: agent-root has its tools on a read-only mount. */
  setpriv?: string[];
  /**
   * What commands have in their environment instead of the supervisor's own: the image's PATH and all that would
   * change how node or the loader behave, which the supervisor itself must not obey.
   */
  env?: Record<string, string>;
  /** The ways out to open before the first command. Absent in host mode, where nothing is closed. */
  doors?: DoorKind;
}

/** Commands carry one group of this range each; all of it lies in the ids a user namespace maps. */
export const markerGids = { first: 61_000, last: 64_899 } as const;

/** The supervisor's own uid where the agent is root. */
export const reservedUid = 64_900;

export function readConfig(env: NodeJS.ProcessEnv): SupervisorConfig {
  const text = env[supervisorConfigVariable];
  if (!text)
    throw new Error(`${supervisorConfigVariable} is not set: the supervisor is started by openTiger only`);
  // Written by the host when it made the sandbox; an agent cannot change it.
  return JSON.parse(text) as SupervisorConfig;
}
