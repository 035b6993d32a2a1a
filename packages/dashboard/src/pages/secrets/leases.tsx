import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { type Lease, leasesQuery, revokeLease } from "../../api/secrets.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { Section } from "../../parts/page.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { RelativeTime } from "../../parts/time.tsx";
import { useAction } from "../../parts/use-action.ts";
import { words } from "../../words/words.ts";

const { secrets: text } = words;

/** Who may use which secret now, and the button that ends it. */
export function Leases() {
  const query = useQuery(leasesQuery);
  const [ending, setEnding] = useState<Lease>();
  const revoke = useAction((lease: Lease) => revokeLease(lease.id), {
    done: text.revoked,
    onDone: () => setEnding(undefined),
  });
  return (
    <Section
      title={text.leases}
      beside={<span className="text-faint">{text.leasesLead}</span>}
      className="mt-8"
    >
      <QueryView query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="rounded-md border border-dashed border-line-strong px-4 py-6 text-center text-soft">
              {text.noLeases}
            </p>
          ) : (
            <Table label={text.leases} columns={columns(setEnding)} rows={items} keyOf={({ id }) => id} />
          )
        }
      </QueryView>
      {ending && (
        <Confirm
          open
          onClose={() => setEnding(undefined)}
          title={text.revokeTitle}
          lead={text.revokeLead(ending.holder.who, ending.name)}
          confirm={text.revoke}
          busy={revoke.isPending}
          onConfirm={() => revoke.mutate(ending)}
        />
      )}
    </Section>
  );
}

function columns(onRevoke: (lease: Lease) => void): Column<Lease>[] {
  return [
    { title: text.name, cell: ({ name }) => <span className="font-mono text-sm font-medium">{name}</span> },
    { title: text.holder, cell: ({ holder }) => <Holder holder={holder} /> },
    { title: text.since, wideOnly: true, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
    { title: text.until, cell: ({ expiresAt }) => <RelativeTime at={expiresAt} /> },
    {
      title: text.actions,
      align: "right",
      cell: (lease) => (
        <Button look="quiet" onClick={() => onRevoke(lease)} aria-label={`${text.revoke}: ${lease.name}`}>
          {text.revoke}
        </Button>
      ),
    },
  ];
}

function Holder({ holder: { who, sandbox } }: { holder: Lease["holder"] }) {
  if (sandbox === null) return who;
  return (
    <Link to="/sandboxes/$name" params={{ name: sandbox }} className="underline-offset-2 hover:underline">
      {sandbox}
    </Link>
  );
}
