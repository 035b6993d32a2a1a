import type { NetworkLogEvent, NetworkLogRow } from "@opentiger/sandboxd";
import type { Surroundings } from "../program/surroundings.ts";
import { age } from "./age.ts";
import { coloursFor, inStateColour } from "./colours.ts";
import { printable, renderTable } from "./table.ts";

type Reader = Pick<Surroundings, "stdout" | "env" | "now">;

/** The table of `network log`. What was blocked stands out. */
export function renderNetworkLog(rows: readonly NetworkLogRow[], { stdout, env, now }: Reader): string {
  const colours = coloursFor(stdout, env);
  const head = ["SANDBOX", "HOST", "ALLOWED", "BLOCKED", "IN", "OUT", "LAST SEEN", "RULE"];
  const lines = rows.map((row) => [
    printable(row.sandbox),
    printable(`${row.host}:${row.port}`),
    String(row.allowed),
    row.blocked > 0 ? inStateColour("blocked", String(row.blocked), colours) : "0",
    bytes(row.bytesIn),
    bytes(row.bytesOut),
    age(new Date(row.lastSeen), now()),
    printable(row.rule),
  ]);
  return renderTable([stdout.isTTY ? head.map((name) => colours.dim(name)) : head, ...lines]);
}

/** One line of `network log --follow`. */
export function renderNetworkEvent(event: NetworkLogEvent, { stdout, env }: Omit<Reader, "now">): string {
  const colours = coloursFor(stdout, env);
  const verdict = inStateColour(event.verdict, event.verdict, colours);
  const why = printable(event.reason ? `${event.rule}: ${event.reason}` : event.rule);
  return `${event.time} ${printable(event.sandbox)} ${verdict} ${printable(event.host)}:${event.port} (${why})\n`;
}

function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  if (count < 1e6) return `${(count / 1e3).toFixed(1)} kB`;
  return count < 1e9 ? `${(count / 1e6).toFixed(1)} MB` : `${(count / 1e9).toFixed(1)} GB`;
}
