import { RefreshCw, Trash2 } from "lucide-react";
import type { Secret } from "../../api/secrets.ts";
import { Button } from "../../parts/button.tsx";
import { bytes } from "../../parts/numbers.tsx";
import { StateBadge } from "../../parts/state-badge.tsx";
import type { Column } from "../../parts/table.tsx";
import { RelativeTime } from "../../parts/time.tsx";
import { words } from "../../words/words.ts";

const { secrets: text } = words;
const states = { ok: "done", expiring: "blocked", expired: "failed" } as const;

interface Does {
  onReplace(name: string): void;
  onRemove(name: string): void;
}

export function secretColumns({ onReplace, onRemove }: Does): Column<Secret>[] {
  return [
    {
      title: text.name,
      cell: ({ name }) => (
        <span className="block min-w-24 font-mono text-sm font-medium break-all">{name}</span>
      ),
    },
    { title: text.kind, wideOnly: true, cell: ({ kind }) => kindName(kind) },
    {
      title: text.state,
      cell: ({ state }) => <StateBadge state={states[state]} label={text.states[state]} />,
    },
    { title: text.size, align: "right", wideOnly: true, cell: ({ size }) => bytes(size) },
    {
      title: text.changed,
      align: "right",
      wideOnly: true,
      cell: ({ updatedAt }) => <RelativeTime at={updatedAt} />,
    },
    {
      title: text.expires,
      align: "right",
      wideOnly: true,
      cell: ({ expiresAt }) => (expiresAt ? <RelativeTime at={expiresAt} /> : words.common.never),
    },
    {
      title: text.actions,
      align: "right",
      cell: ({ name }) => (
        <span className="flex justify-end gap-1">
          <Button
            look="quiet"
            icon={RefreshCw}
            label={`${text.replace}: ${name}`}
            onClick={() => onReplace(name)}
          />
          <Button
            look="quiet"
            icon={Trash2}
            label={`${text.remove}: ${name}`}
            onClick={() => onRemove(name)}
          />
        </span>
      ),
    },
  ];
}

function kindName(kind: string): string {
  const names: Readonly<Record<string, string>> = text.kinds;
  return names[kind] ?? kind;
}
