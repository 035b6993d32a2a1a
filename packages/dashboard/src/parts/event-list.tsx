import { toneOf } from "@opentiger/schema";
import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ArrowRight } from "lucide-react";
import type { Events, LoopEvent } from "../api/types.ts";
import { words } from "../words/words.ts";
import { MorePages } from "./more-pages.tsx";
import { Card } from "./page.tsx";
import { QueryView } from "./query-view.tsx";
import { StateBadge } from "./state-badge.tsx";
import { StateIcon } from "./state-icon.tsx";
import { RelativeTime } from "./time.tsx";
import { writtenOut } from "./written-out.ts";

const text = words.loop;

interface EventListProps {
  query: UseInfiniteQueryResult<InfiniteData<Events>>;
  /** What each task is called, by its id. */
  titles: ReadonlyMap<string, string>;
}

/** What happened, the newest first: what moved, from where to where, by which transition, who did it, and why. */
export function EventList({ query, titles }: EventListProps) {
  return (
    <QueryView query={query}>
      {({ pages }) => {
        const events = pages.flatMap(({ items }) => items);
        if (events.length === 0) return <p className="py-6 text-faint">{text.noActivity}</p>;
        return (
          <>
            <Card>
              <ol>
                {events.map((event) => (
                  <EventLine
                    key={event.id}
                    event={event}
                    title={event.task ? titles.get(event.task) : undefined}
                  />
                ))}
              </ol>
            </Card>
            <MorePages query={query} label={text.moreActivity} />
          </>
        );
      }}
    </QueryView>
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
              {text.run} {textOf(event, "number") ?? ""}
            </Link>
          )}
        </div>
        {from && to && <Move from={from} to={to} event={event} />}
        {why && <p className="mt-0.5 text-soft break-words whitespace-pre-line">{why}</p>}
      </div>
      <span className="text-xs text-faint">
        <RelativeTime at={event.at} />
      </span>
    </li>
  );
}

/** As docs/state-model.md is read: state, transition, owner. */
function Move({ from, to, event: { type, owner } }: { from: string; to: string; event: LoopEvent }) {
  return (
    <p className="mt-1 flex flex-wrap items-center gap-x-1.5 gap-y-1 text-xs text-faint">
      <StateBadge still state={from} />
      {from !== to && (
        <>
          <ArrowRight aria-label={text.becomes} className="size-3" />
          <StateBadge still state={to} />
        </>
      )}
      <span aria-hidden>·</span>
      <code className="font-mono">{type}</code>
      {owner && (
        <>
          <span aria-hidden>·</span>
          <span>{text.by(ownerName(owner))}</span>
        </>
      )}
    </p>
  );
}

function ownerName(owner: string): string {
  const names: Readonly<Record<string, string>> = words.states.owners;
  return names[owner] ?? owner;
}

function eventName(type: string): string {
  const names: Readonly<Record<string, string>> = text.events;
  return names[type] ?? type.replaceAll(/[._]/g, " ");
}

/** What the event itself says of why, whichever way it was written. */
function whyOf(event: LoopEvent): string | undefined {
  const failure: unknown = event.data["failure"];
  if (typeof failure === "object" && failure !== null && "message" in failure) return String(failure.message);
  return (
    textOf(event, "detail") ??
    textOf(event, "message") ??
    textOf(event, "why") ??
    textOf(event, "text") ??
    linesOf(event)
  );
}

/** What was found out of a project: how it is set up and checked, and what it reaches. */
function linesOf({ data }: LoopEvent): string | undefined {
  const shown: unknown = data["shown"];
  if (!Array.isArray(shown)) return undefined;
  const { setup, verify } = text.projectLines;
  return [
    ...listOf(data["setup"]).map((command) => `${setup}: ${String(command)}`),
    ...listOf(data["verify"]).map((check) => `${verify}: ${commandOf(check)}`),
    ...shown.map(String),
  ]
    .map(writtenOut)
    .join("\n");
}

function commandOf(check: unknown): string {
  return typeof check === "object" && check !== null && "command" in check ? String(check.command) : "";
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(event: LoopEvent, name: string): string | undefined {
  const value: unknown = event.data[name];
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}
