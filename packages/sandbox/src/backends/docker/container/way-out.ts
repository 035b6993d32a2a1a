import type { SandboxRecord } from "@opentiger/schema";
import { listenedHostPorts } from "../../../egress/host-ports.ts";
import { SandboxError } from "../../../errors.ts";
import type { Session } from "../../../session/session.ts";
import type { Place } from "../place.ts";

/**
 * Opens the way out of a sandbox that was just started, and then has its guard look at itself: one that is not closed
 * as it should be does not start.
 */
export async function openWayOut(
  place: Pick<Place, "outward">,
  record: SandboxRecord,
  session: Session,
): Promise<void> {
  const { policy } = record.network;
  const hostPorts = listenedHostPorts(record.network);
  await place.outward?.attach(record);
  if (hostPorts.length > 0) await session.setDoors({ hostPorts });
  if (policy === "open") return;
  try {
    await session.selfTest({ of: place.outward ? "denial" : "interfaces" });
  } catch (error) {
    throw error instanceof SandboxError && error.code === "sandbox_broken" ? unguarded(record, error) : error;
  }
}

/** Whoever cannot be told finds the sandbox gone. */
export async function closeWayOut(place: Pick<Place, "outward">, id: string): Promise<void> {
  await place.outward?.detach(id).catch(() => {});
}

function unguarded(record: SandboxRecord, cause: SandboxError): SandboxError {
  return new SandboxError("sandbox_broken", `${record.name} was not started: ${cause.message}`, {
    remedy: "see `opentiger sandboxd status` and `opentiger sandboxd logs`",
    cause,
  });
}
