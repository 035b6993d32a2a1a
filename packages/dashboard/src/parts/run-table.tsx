import { Link } from "@tanstack/react-router";
import type { Run } from "../api/types.ts";
import { words } from "../words/words.ts";
import { Money, Tokens, tokenTotal } from "./numbers.tsx";
import { StateBadge } from "./state-badge.tsx";
import { type Column, rowLink, Table } from "./table.tsx";
import { Duration, RelativeTime } from "./time.tsx";

const text = words.loop;

const columns: readonly Column<Run>[] = [
  {
    title: text.run,
    className: "w-full",
    cell: ({ id, number, role, failure }) => (
      <div className="min-w-0">
        <Link to="/runs/$id" params={{ id }} className={rowLink}>
          {words.states.roles[role]} {number}
        </Link>
        {failure && <p className="line-clamp-1 text-xs text-failed">{failure.message}</p>}
      </div>
    ),
  },
  { title: text.state, cell: ({ state }) => <StateBadge state={state} /> },
  {
    title: text.agent,
    wideOnly: true,
    className: "whitespace-nowrap",
    cell: ({ agent }) => agentLabel(agent),
  },
  {
    title: text.tokens,
    wideOnly: true,
    align: "right",
    cell: ({ tokens }) => <Tokens count={tokenTotal(tokens)} />,
  },
  { title: text.cost, wideOnly: true, align: "right", cell: ({ usd }) => <Money usd={usd} /> },
  {
    title: text.took,
    align: "right",
    cell: ({ startedAt, endedAt }) => <Duration from={startedAt} to={endedAt} />,
  },
  {
    title: text.started,
    wideOnly: true,
    align: "right",
    className: "text-soft",
    cell: ({ startedAt }) => <RelativeTime at={startedAt} />,
  },
];

export function RunTable({ runs }: { runs: readonly Run[] }) {
  if (runs.length === 0) return <p className="py-6 text-faint">{text.noRuns}</p>;
  return <Table label={text.runs} columns={columns} rows={runs} keyOf={({ id }) => id} />;
}

/** What an agent is called; one of the user's own as the user calls it. */
export function agentLabel(agent: string): string {
  const names: Readonly<Record<string, string>> = words.states.agents;
  return names[agent] ?? agent;
}
