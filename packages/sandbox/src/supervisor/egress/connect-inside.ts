import type { Socket } from "node:net";
import { RefusedError } from "../refusals.ts";
import { connected } from "./connected.ts";

const loopbacks = ["127.0.0.1", "::1"];

/** A connection to a program of this sandbox that listens on its loopback, in whichever of the two it does. */
export async function connectInside(port: number): Promise<Socket> {
  let reason = "";
  for (const host of loopbacks) {
    try {
      return await connected({ host, port });
    } catch (error) {
      // The first address is where nearly everybody listens: its reason says more.
      reason ||= error instanceof Error ? error.message : String(error);
    }
  }
  throw new RefusedError("not_found", `nothing in the sandbox listens on port ${port}: ${reason}`);
}
