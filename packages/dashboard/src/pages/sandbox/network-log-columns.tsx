import { Check } from "lucide-react";
import type { NetworkRow } from "../../api/sandbox-network.ts";
import { Button } from "../../parts/button.tsx";
import { bytes } from "../../parts/numbers.tsx";
import { StateBadge } from "../../parts/state-badge.tsx";
import type { Column } from "../../parts/table.tsx";
import { RelativeTime } from "../../parts/time.tsx";
import { words } from "../../words/words.ts";
import { canAllow, ruleFor, verdictOf } from "./network-verdict.ts";

const { sandbox: text } = words;

/** A row for each host and port. */
export function logColumns(
  allowed: readonly string[],
  onAllow: (row: NetworkRow) => void,
  busy: boolean,
): Column<NetworkRow>[] {
  return [
    {
      title: text.verdict,
      className: "md:w-28",
      cell: (row) => <StateBadge state={verdictOf(row)} label={text.verdicts[verdictOf(row)]} />,
    },
    {
      title: text.host,
      cell: ({ host, port }) => (
        <span className="font-mono text-sm [overflow-wrap:anywhere]">
          {host}
          <span className="text-faint">:{port}</span>
        </span>
      ),
    },
    {
      title: text.rule,
      wideOnly: true,
      cell: ({ rule }) => <span className="font-mono text-xs text-soft">{rule}</span>,
    },
    {
      title: text.times,
      align: "right",
      wideOnly: true,
      cell: (row) => row.allowed + row.blocked + row.failed,
    },
    { title: text.received, align: "right", wideOnly: true, cell: ({ bytesIn }) => bytes(bytesIn) },
    { title: text.sent, align: "right", wideOnly: true, cell: ({ bytesOut }) => bytes(bytesOut) },
    {
      title: text.last,
      align: "right",
      wideOnly: true,
      cell: ({ lastSeen }) => <RelativeTime at={lastSeen} />,
    },
    {
      title: text.allow,
      align: "right",
      className: "md:w-32",
      cell: (row) => <Allow row={row} allowed={allowed} onAllow={onAllow} busy={busy} />,
    },
  ];
}

interface AllowProps {
  row: NetworkRow;
  allowed: readonly string[];
  onAllow(row: NetworkRow): void;
  busy: boolean;
}

function Allow({ row, allowed, onAllow, busy }: AllowProps) {
  if (verdictOf(row) !== "blocked" || !canAllow(row)) return null;
  if (allowed.includes(ruleFor(row)) || allowed.includes(row.host))
    return (
      <span className="inline-flex items-center gap-1 text-xs font-medium whitespace-nowrap text-done">
        <Check aria-hidden className="size-3.5" />
        {text.allowedNow}
      </span>
    );
  return (
    <Button
      onClick={() => onAllow(row)}
      disabled={busy}
      aria-label={text.allowThis(`${row.host}:${row.port}`)}
    >
      {text.allow}
    </Button>
  );
}
