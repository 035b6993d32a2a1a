import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { usageQuery } from "../../api/system.ts";
import { Money, Tokens } from "../../parts/numbers.tsx";
import { Section } from "../../parts/page.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { Segments } from "../../parts/segments.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { useSearchChange } from "../../parts/use-search-change.ts";
import { words } from "../../words/words.ts";
import type { UsageRow } from "./days.ts";

const { usage: text, states } = words;
const groups = [
  { value: "agent", label: text.byAgent },
  { value: "model", label: text.byModel },
  { value: "loop", label: text.byLoop },
  { value: "role", label: text.byRole },
  { value: "day", label: text.byDay },
] as const;
type Group = (typeof groups)[number]["value"];

/** The same sums by something else; which one stands in the address. */
export function UsageTable({ from }: { from: string }) {
  const { tab } = useSearch({ strict: false });
  const change = useSearchChange();
  const group = groups.find(({ value }) => value === tab) ?? groups[0];
  const query = useQuery(usageQuery(group.value, from));
  const choose = (value: string) => change({ tab: value });
  return (
    <Section beside={<Segments label={text.by} choices={groups} value={group.value} onChoose={choose} />}>
      <QueryView query={query}>
        {({ items }) => (
          <Table
            label={group.label}
            columns={columns(group.value, group.label, items)}
            rows={group.value === "day" ? items : items.toSorted((one, other) => other.total - one.total)}
            keyOf={({ key }) => key}
          />
        )}
      </QueryView>
    </Section>
  );
}

function columns(group: Group, label: string, rows: readonly UsageRow[]): Column<UsageRow>[] {
  const all = rows.reduce((sum, { total }) => sum + total, 0);
  return [
    { title: label, cell: ({ key }) => <Name group={group} name={key} /> },
    { title: text.runs, align: "right", cell: ({ runs }) => runs },
    { title: text.input, align: "right", wideOnly: true, cell: (row) => <Tokens count={row.tokens.input} /> },
    {
      title: text.output,
      align: "right",
      wideOnly: true,
      cell: (row) => <Tokens count={row.tokens.output} />,
    },
    {
      title: text.cacheRead,
      align: "right",
      wideOnly: true,
      cell: (row) => <Tokens count={row.tokens.cacheRead} />,
    },
    { title: text.tokens, align: "right", cell: ({ total }) => <Tokens count={total} /> },
    { title: text.cost, align: "right", cell: ({ usd }) => <Money usd={usd} className="font-medium" /> },
    {
      title: text.share,
      wideOnly: true,
      className: "w-32",
      cell: ({ total }) => <Share of={all === 0 ? 0 : total / all} />,
    },
  ];
}

function Name({ group, name }: { group: Group; name: string }) {
  if (group === "loop")
    return (
      <Link
        to="/loops/$id"
        params={{ id: name }}
        className="font-mono text-sm underline-offset-2 hover:underline"
      >
        {name}
      </Link>
    );
  if (group === "model")
    return name === "" ? (
      <span className="text-faint">{text.modelUnknown}</span>
    ) : (
      <span className="font-mono text-sm break-all">{name}</span>
    );
  const names: Readonly<Record<string, string>> = { ...states.agents, ...states.roles };
  return <span className="font-medium">{names[name] ?? name}</span>;
}

function Share({ of }: { of: number }) {
  return (
    <span className="flex items-center gap-2" title={`${Math.round(of * 100)} %`}>
      <span className="h-1.5 flex-1 overflow-hidden rounded-full bg-hover">
        <span className="block h-full rounded-full bg-brand" style={{ width: `${of * 100}%` }} />
      </span>
    </span>
  );
}
