import { join } from "node:path";
import { processStatus } from "@opentiger/orchestrator";
import { socketFolder } from "@opentiger/sandbox";
import { configKeyNames, loopStatus } from "@opentiger/schema";
import { z } from "zod";

/** What the server says of itself on its socket, to its owner alone. Ready is one that answers at its URL. */
export const serverStatus = processStatus.extend({
  /** What it does until it is ready, where that takes a moment. */
  doing: z.string().nullable(),
  url: z.string().nullable(),
  database: z.object({ kind: z.enum(["embedded", "url"]), where: z.string() }).nullable(),
  processes: z.array(
    z.object({
      name: z.string(),
      state: z.enum(["running", "starting", "waiting", "failed", "stopped"]),
      pid: z.number().int().nullable(),
      working: z.number().int(),
    }),
  ),
  /** Those that have not ended, by how they stand. */
  loops: z.partialRecord(loopStatus, z.number().int()),
});
export type ServerStatus = z.infer<typeof serverStatus>;

/** What the server was given by `up --set`. */
export const givenFlags = z.partialRecord(z.enum(configKeyNames), z.string());
export type GivenFlags = z.infer<typeof givenFlags>;

/** The settings that the server's environment decides, each with the variable that does. */
export const pinnedSettings = z.partialRecord(z.enum(configKeyNames), z.string());
export type PinnedSettings = z.infer<typeof pinnedSettings>;

/** With what the server was started, as far as it is stronger than what is stored. */
export interface StartedWith {
  flags: GivenFlags;
  pins: PinnedSettings;
}

export const loginLink = z.object({ url: z.string(), expiresAt: z.iso.datetime().nullable() });
export type LoginLink = z.infer<typeof loginLink>;

/** Where the server of an instance keeps what is its own. */
export function serverPaths(stateFolder: string) {
  return {
    /** Of several servers that are started, the one that listens here is the server of the instance. */
    socket: join(socketFolder(stateFolder), "server.sock"),
    log: join(stateFolder, "server", "server.log"),
    /** There since somebody said that everything is to be down. */
    down: join(stateFolder, "server", "down"),
  };
}

export type ServerPaths = ReturnType<typeof serverPaths>;
