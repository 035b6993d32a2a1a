import { useQuery } from "@tanstack/react-query";
import { KeyRound, Plus } from "lucide-react";
import { useState } from "react";
import { removeSecret, type Secret, secretsQuery } from "../../api/secrets.ts";
import type { Secrets } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { CopyText } from "../../parts/copy-text.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { EmptyState, Note, Remedy } from "../../parts/notes.tsx";
import { Page, Section } from "../../parts/page.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { Table } from "../../parts/table.tsx";
import { say } from "../../parts/toast.tsx";
import { useAction } from "../../parts/use-action.ts";
import { words } from "../../words/words.ts";
import { Leases } from "./leases.tsx";
import { PutSecret } from "./put-secret.tsx";
import { secretColumns } from "./secret-columns.tsx";

const { secrets: text } = words;

/** Names and ages of what the vault holds. Values only ever go in. */
export function SecretsPage() {
  const query = useQuery(secretsQuery);
  const [putting, setPutting] = useState<{ name: string | undefined }>();
  const [removing, setRemoving] = useState<string>();
  const remove = useAction(removeSecret, {
    onDone: () => {
      if (removing !== undefined) say(text.removed(removing));
      setRemoving(undefined);
    },
  });
  const add = (
    <Button look="primary" icon={Plus} onClick={() => setPutting({ name: undefined })}>
      {text.add}
    </Button>
  );
  return (
    <Page title={text.title} lead={text.lead} actions={add}>
      <QueryView query={query}>
        {({ items, warnings }) => (
          <>
            <Warnings warnings={warnings} />
            {items.length === 0 ? (
              <EmptyState icon={KeyRound} title={text.empty} action={<CopyText text={text.emptyCommand} />}>
                {text.emptyHint}
              </EmptyState>
            ) : (
              <Section>
                <Table
                  label={text.list}
                  rows={items}
                  keyOf={({ name }: Secret) => name}
                  columns={secretColumns({
                    onReplace: (name) => setPutting({ name }),
                    onRemove: setRemoving,
                  })}
                />
              </Section>
            )}
            <Leases />
          </>
        )}
      </QueryView>
      {putting && (
        <PutSecret
          name={putting.name}
          names={query.data?.items.map(({ name }) => name) ?? []}
          onClose={() => setPutting(undefined)}
        />
      )}
      {removing !== undefined && (
        <Confirm
          open
          onClose={() => setRemoving(undefined)}
          title={text.removeTitle(removing)}
          lead={text.removeLead}
          confirm={text.remove}
          busy={remove.isPending}
          onConfirm={() => remove.mutate(removing)}
        />
      )}
    </Page>
  );
}

/** What is about to end, with how it is renewed. */
function Warnings({ warnings }: Pick<Secrets, "warnings">) {
  if (warnings.length === 0) return null;
  return (
    <div className="mb-6 flex flex-col gap-3">
      {warnings.map(({ secret, message, remedy }) => (
        <Note key={secret} tone="blocked" title={message}>
          {remedy.map((line) => (
            <Remedy key={line} text={`\`${line}\``} />
          ))}
        </Note>
      ))}
    </div>
  );
}
