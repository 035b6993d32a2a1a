import { useInfiniteQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { ScrollText } from "lucide-react";
import { type AuditRow, auditQuery } from "../../api/audit.ts";
import { Check, Input } from "../../parts/field.tsx";
import { MorePages } from "../../parts/more-pages.tsx";
import { EmptyState, ErrorNote, Loading } from "../../parts/notes.tsx";
import { Page } from "../../parts/page.tsx";
import { StateBadge } from "../../parts/state-badge.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { RelativeTime } from "../../parts/time.tsx";
import { useSearchChange } from "../../parts/use-search-change.ts";
import { words } from "../../words/words.ts";

const { audit: text } = words;

/** Whatever changed anything, the newest first. */
export function AuditPage() {
  const { q = "", status } = useSearch({ strict: false });
  const query = useInfiniteQuery(auditQuery);
  const rows = query.data?.pages.flatMap(({ items }) => items);
  const shown = rows?.filter((row) => fits(row, q) && (status !== "refused" || isRefused(row)));
  const set = useSearchChange();
  return (
    <Page title={text.title} lead={text.lead} wide>
      {rows && rows.length > 0 && (
        <div className="mb-4 flex flex-wrap items-center gap-x-5 gap-y-3">
          <Input
            type="search"
            value={q}
            onChange={(event) => set({ q: event.target.value })}
            placeholder={text.searchHint}
            aria-label={text.search}
            className="max-w-90 min-w-60 flex-1"
          />
          <Check
            label={text.refusedOnly}
            checked={status === "refused"}
            onChange={(event) => set({ status: event.target.checked ? "refused" : "" })}
          />
        </div>
      )}
      {query.error && !rows && <ErrorNote error={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <Loading />}
      {rows?.length === 0 && (
        <EmptyState icon={ScrollText} title={text.empty}>
          {text.emptyHint}
        </EmptyState>
      )}
      {shown && shown.length > 0 && (
        <Table label={text.list} columns={columns} rows={shown} keyOf={({ id }) => id} />
      )}
      {rows && rows.length > 0 && shown?.length === 0 && <p className="py-6 text-soft">{text.nothing}</p>}
      <MorePages query={query} label={text.more} />
    </Page>
  );
}

const columns: readonly Column<AuditRow>[] = [
  { title: text.at, className: "w-24 text-soft", cell: ({ at }) => <RelativeTime at={at} /> },
  {
    title: text.who,
    cell: ({ who }) => <span className="block min-w-28 font-medium break-words">{who}</span>,
  },
  {
    title: text.from,
    wideOnly: true,
    cell: ({ address }) => <span className="font-mono text-xs text-soft">{address}</span>,
  },
  {
    title: text.action,
    wideOnly: true,
    cell: ({ action }) => <span className="font-mono text-xs">{action.split(" ")[0]}</span>,
  },
  {
    title: text.target,
    cell: ({ target }) => (
      <span className="line-clamp-1 min-w-16 font-mono text-xs break-all" title={target}>
        {target}
      </span>
    ),
  },
  { title: text.answer, align: "right", cell: (row) => <Answer row={row} /> },
];

function Answer({ row }: { row: AuditRow }) {
  if (row.status === null) return <StateBadge state="queued" label={text.unanswered} />;
  return <StateBadge state={isRefused(row) ? "failed" : "done"} label={String(row.status)} />;
}

function isRefused({ status }: AuditRow): boolean {
  return status !== null && status >= 400;
}

function fits({ who, action, target, address }: AuditRow, search: string): boolean {
  const said = `${who} ${action} ${target} ${address}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => said.includes(word));
}
