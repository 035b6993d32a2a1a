import { Link } from "@tanstack/react-router";
import type { ListedLoop } from "../../api/types.ts";
import { firstLine } from "../../parts/first-line.ts";
import { Money, Tokens } from "../../parts/numbers.tsx";
import { Progress } from "../../parts/progress.tsx";
import { StateBadge } from "../../parts/state-badge.tsx";
import { type Column, rowLink, Table } from "../../parts/table.tsx";
import { RelativeTime } from "../../parts/time.tsx";
import { words } from "../../words/words.ts";

const text = words.loops;

const columns: readonly Column<ListedLoop>[] = [
  {
    title: text.requirement,
    className: "w-full max-w-0",
    cell: ({ id, requirement, source }) => (
      <div className="min-w-0">
        <Link to="/loops/$id" params={{ id }} className={`${rowLink} block truncate`}>
          {firstLine(requirement || ("summary" in source ? source.summary : id))}
        </Link>
        <span className="font-mono text-xs text-faint">{id}</span>
      </div>
    ),
  },
  { title: text.state, cell: ({ state }) => <StateBadge state={state} /> },
  { title: text.progress, wideOnly: true, cell: ({ progress }) => <Progress counts={progress} /> },
  {
    title: text.tokens,
    wideOnly: true,
    align: "right",
    cell: ({ progress }) => <Tokens count={progress.tokens} />,
  },
  { title: text.cost, wideOnly: true, align: "right", cell: ({ progress }) => <Money usd={progress.usd} /> },
  {
    title: text.updated,
    wideOnly: true,
    align: "right",
    className: "text-soft",
    cell: ({ updatedAt }) => <RelativeTime at={updatedAt} />,
  },
];

/** Where it stands beside other things, only what one looks for first. */
const briefColumns = columns.filter(({ title }) => title !== text.tokens && title !== text.cost);

export function LoopTable({ loops, brief = false }: { loops: readonly ListedLoop[]; brief?: boolean }) {
  return (
    <Table label={text.title} columns={brief ? briefColumns : columns} rows={loops} keyOf={({ id }) => id} />
  );
}
