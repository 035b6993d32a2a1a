import type { Duplex } from "node:stream";
import { maxOpeningBytes } from "../protocol/doors.ts";
import { Mux } from "../protocol/mux.ts";
import type { TakeEgress } from "./listen.ts";
import { parseOpening } from "./opening.ts";

/** Takes the connections of one sandbox over one byte stream into it, which all of them share. */
export function egressOverStdio(stream: Duplex, take: TakeEgress): { close(): void; closed: Promise<void> } {
  const mux = new Mux(stream, (text, connection) => {
    try {
      if (text.length > maxOpeningBytes) throw new Error("the opening is too long");
      take(parseOpening(text), connection);
    } catch {
      connection.destroy();
    }
  });
  return { close: () => mux.close(), closed: mux.closed };
}
