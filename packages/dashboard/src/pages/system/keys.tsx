import { useQuery } from "@tanstack/react-query";
import { KeyRound, Plus } from "lucide-react";
import { useState } from "react";
import { type Key, keysQuery, revokeKey } from "../../api/keys.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { EmptyState } from "../../parts/notes.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { RelativeTime } from "../../parts/time.tsx";
import { say } from "../../parts/toast.tsx";
import { useAction } from "../../parts/use-action.ts";
import { words } from "../../words/words.ts";
import { NewKey } from "./new-key.tsx";

const { systemParts: text } = words;

/** Keys of programs: made, shown once, revoked. */
export function Keys() {
  const query = useQuery(keysQuery);
  const [adding, setAdding] = useState(false);
  const [revoking, setRevoking] = useState<Key>();
  const revoke = useAction((key: Key) => revokeKey(key.id), {
    onDone: ({ name }) => {
      say(text.revoked(name));
      setRevoking(undefined);
    },
  });
  const add = (
    <Button look="primary" icon={Plus} onClick={() => setAdding(true)}>
      {text.newKey}
    </Button>
  );
  return (
    <>
      <QueryView query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState icon={KeyRound} title={text.noKeys} action={add}>
              {text.noKeysHint}
            </EmptyState>
          ) : (
            <>
              <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
                <p className="max-w-140 text-soft">{text.keysLead}</p>
                {add}
              </div>
              <Table
                label={words.system.tabKeys}
                columns={columns(setRevoking)}
                rows={items}
                keyOf={({ id }) => id}
              />
            </>
          )
        }
      </QueryView>
      {adding && <NewKey onClose={() => setAdding(false)} />}
      {revoking && (
        <Confirm
          open
          onClose={() => setRevoking(undefined)}
          title={text.revokeTitle(revoking.name)}
          lead={text.revokeLead}
          confirm={text.revoke}
          busy={revoke.isPending}
          onConfirm={() => revoke.mutate(revoking)}
        />
      )}
    </>
  );
}

function columns(onRevoke: (key: Key) => void): Column<Key>[] {
  return [
    { title: text.keyName, cell: ({ name }) => <span className="font-medium">{name}</span> },
    { title: text.created, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
    { title: text.createdBy, wideOnly: true, cell: ({ createdBy }) => createdBy },
    {
      title: text.used,
      wideOnly: true,
      cell: ({ usedAt }) => (usedAt ? <RelativeTime at={usedAt} /> : words.common.never),
    },
    {
      title: text.expires,
      cell: ({ expiresAt }) => (expiresAt ? <RelativeTime at={expiresAt} /> : words.common.never),
    },
    {
      title: text.actions,
      align: "right",
      cell: (key) => (
        <Button look="quiet" onClick={() => onRevoke(key)} aria-label={`${text.revoke}: ${key.name}`}>
          {text.revoke}
        </Button>
      ),
    },
  ];
}
