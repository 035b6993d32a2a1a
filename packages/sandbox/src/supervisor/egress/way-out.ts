import { join } from "node:path";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { EgressOpening } from "@opentiger/schema";
import { egressSocket } from "../../protocol/paths.ts";
import { connected } from "./connected.ts";

/** How a connection inside gets to sandboxd. Rejects when nobody is there to take it. */
export interface WayOut {
  open(opening: EgressOpening): Promise<Duplex>;
}

/** A full backlog is emptied within a moment, or sandboxd hangs. */
const crowdedTries = 50;
const crowdedMs = 10;

/** Through the folder that is shared with the host: one socket for each connection. */
export function folderWayOut(folder: string): WayOut {
  const path = join(folder, egressSocket);
  return {
    async open(opening) {
      for (let tries = 1; ; tries += 1) {
        try {
          return await dial(path, `${JSON.stringify(opening)}\n`);
        } catch (error) {
          if (!isCrowded(error) || tries === crowdedTries) throw error;
          await sleep(crowdedMs);
        }
      }
    },
  };
}

async function dial(path: string, line: string): Promise<Duplex> {
  const socket = await connected({ path });
  socket.write(line);
  return socket;
}

function isCrowded(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EAGAIN";
}
