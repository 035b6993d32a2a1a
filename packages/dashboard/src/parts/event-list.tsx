import { toneOf } from "@opentiger/schema";
import { Link } from "@tanstack/react-router";
import type { LoopEvent } from "../api/types.ts";
import { words } from "../words/words.ts";
import { Card } from "./page.tsx";
import { StateBadge } from "./state-badge.tsx";
import { StateIcon } from "./state-icon.tsx";
import { RelativeTime } from "./time.tsx";

/** More than anybody reads; the rest is in `opentiger loop events`. */
const most = 300;

interface EventListProps {
  events: readonly LoopEvent[];
  /** What each task is called, by its id. */
  titles: ReadonlyMap<string, string>;
}

/** What happened, the newest first: what moved, from where to where, and why. */
export function EventList({ events, titles }: EventListProps) {
  if (events.length === 0) return <p className="py-6 text-faint">{words.loop.noActivity}</p>;
  return (
    <Card>
      <ol>
        {events
          .slice(-most)
          .toReversed()
          .map((event) => (
            <EventLine key={event.id} event={event} title={event.task ? titles.get(event.task) : undefined} />
          ))}
      </ol>
    </Card>
  );
}

function EventLine({ event, title }: { event: LoopEvent; title: string | undefined }) {
  const from = textOf(event, "from");
  const to = textOf(event, "to");
  const why = whyOf(event);
  return (
    <li className="flex gap-3 border-b border-line px-4 py-2.5 last:border-0">
      <StateIcon still tone={toneOf(to ?? "queued")} className="mt-0.75" />
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="font-medium">{eventName(event.type)}</span>
          {title && event.task && (
            <Link
              to="/tasks/$id"
              params={{ id: event.task }}
              className="min-w-0 truncate text-soft underline-offset-2 hover:underline"
            >
              {title}
            </Link>
          )}
          {event.run && (
            <Link
              to="/runs/$id"
              params={{ id: event.run }}
              className="text-xs text-faint underline underline-offset-2 hover:text-ink"
            >
              {words.loop.run} {textOf(event, "number") ?? ""}
            </Link>
          )}
          {from && to && from !== to && <StateBadge still state={to} />}
        </div>
        {why && <p className="mt-0.5 text-soft break-words whitespace-pre-line">{why}</p>}
      </div>
      <span className="text-xs text-faint">
        <RelativeTime at={event.at} />
      </span>
    </li>
  );
}

function eventName(type: string): string {
  const names: Readonly<Record<string, string>> = words.loop.events;
  return names[type] ?? type.replaceAll(/[._]/g, " ");
}

/** What the event itself says of why, whichever way it was written. */
function whyOf(event: LoopEvent): string | undefined {
  const failure: unknown = event.data["failure"];
  if (typeof failure === "object" && failure !== null && "message" in failure) return String(failure.message);
  return textOf(event, "detail") ?? textOf(event, "message") ?? textOf(event, "why") ?? textOf(event, "text");
}

function textOf(event: LoopEvent, name: string): string | undefined {
  const value: unknown = event.data[name];
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}
