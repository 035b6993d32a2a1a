import type { EventRow, OpenPlace } from "@opentiger/orchestrator";
import type { Surroundings } from "../program/surroundings.ts";
import type { LoopTeller } from "./lines.ts";
import { LiveView } from "./live/live-view.ts";

/** How somebody who watches a loop is told what happens. */
export interface LoopOutput {
  event(event: EventRow, teller: LoopTeller): Promise<void>;
  /** What is not a result, for machines with what it is about. */
  notice(about: Readonly<Record<string, string>>, text: string): void;
  /** May be called twice. What is told afterwards is told plainly. */
  close(): Promise<void>;
}

/** A view that is drawn again in place for a person at a terminal, lines where it is piped, JSON where that is asked for. */
export function loopOutput(
  place: OpenPlace,
  id: string,
  surroundings: Surroundings,
  { json, page }: { json?: true | undefined; page?: string | undefined },
): LoopOutput {
  const { stdout, env } = surroundings;
  if (json || !stdout.isTTY || env["TERM"] === "dumb") return plainly(surroundings, { json });
  return liveOutput(new LiveView(place, id, surroundings, page), surroundings);
}

/** Without a view, which is only for a terminal. */
export function plainly(surroundings: Surroundings, { json }: { json?: true | undefined }): LoopOutput {
  return json ? jsonOutput(surroundings) : plainOutput(surroundings);
}

function jsonOutput({ stdout, stderr }: Surroundings): LoopOutput {
  return {
    event: async (event) => void stdout.write(`${JSON.stringify({ type: "event", event })}\n`),
    notice: (about, message) => void stderr.write(`${JSON.stringify({ ...about, message })}\n`),
    close: async () => {},
  };
}

function plainOutput({ stdout, stderr }: Surroundings): LoopOutput {
  return {
    event: async (event, teller) => {
      for (const line of await teller.lines(event)) stdout.write(`${line}\n`);
    },
    notice: (_about, text) => void stderr.write(`${text}\n`),
    close: async () => {},
  };
}

/** What the view shows anyway. */
const seen = new Set([
  "loop.create",
  "loop.planned",
  "task.create",
  "task.submit",
  "task.cancel",
  "run.create",
  "run.cancel",
]);

function liveOutput(view: LiveView, surroundings: Surroundings): LoopOutput {
  let open = true;
  return {
    event: async (event, teller) => view.tell(seen.has(event.type) ? [] : await teller.lines(event)),
    notice: (_about, text) => {
      if (open) view.notice(text);
      else surroundings.stderr.write(`${text}\n`);
    },
    close: async () => {
      if (open) await view.close();
      open = false;
    },
  };
}
