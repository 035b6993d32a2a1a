import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { Globe } from "lucide-react";
import { changeNetwork, type NetworkRow, networkLogQuery, networkQuery } from "../../api/sandbox-network.ts";
import { Check } from "../../parts/field.tsx";
import { EmptyState } from "../../parts/notes.tsx";
import { Section } from "../../parts/page.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { Table } from "../../parts/table.tsx";
import { say } from "../../parts/toast.tsx";
import { useAction } from "../../parts/use-action.ts";
import { useSearchChange } from "../../parts/use-search-change.ts";
import { words } from "../../words/words.ts";
import { logColumns } from "./network-log-columns.tsx";
import { NetworkRules } from "./network-rules.tsx";
import { ruleFor, verdictOf } from "./network-verdict.ts";

const { sandbox: text } = words;

/** Each sandbox tries, when it is made, whether it is denied what it must be. That is nothing of its agent. */
const ownTest = "self-test";

/** What it may reach, and what it reached or tried to, as it happens; what was blocked can be allowed. */
export function Network({ name }: { name: string }) {
  const settings = useQuery(networkQuery(name));
  const log = useQuery(networkLogQuery(name));
  const { only } = useSearch({ strict: false });
  const change = useSearchChange();
  const onlyBlocked = only === "blocked";
  const allow = useAction(async (row: NetworkRow) => {
    await changeNetwork(name, { allowHost: [ruleFor(row)] });
    say(text.nowAllowed(row.host));
  });
  const allowed = settings.data?.allowHosts ?? [];
  return (
    <>
      <QueryView query={settings}>{(rules) => <NetworkRules name={name} settings={rules} />}</QueryView>
      <Section
        title={text.log}
        beside={
          <Check
            label={text.onlyBlocked}
            checked={onlyBlocked}
            onChange={(event) => change({ only: event.target.checked ? "blocked" : "" })}
          />
        }
      >
        <QueryView query={log}>
          {({ items }) => {
            const rows = items
              .filter((row) => row.rule !== ownTest && (!onlyBlocked || verdictOf(row) === "blocked"))
              .toSorted((one, other) => other.lastSeen.localeCompare(one.lastSeen));
            if (rows.length === 0)
              return (
                <EmptyState icon={Globe} title={text.logEmpty}>
                  {text.logEmptyHint}
                </EmptyState>
              );
            return (
              <Table
                label={text.log}
                columns={logColumns(allowed, (row) => allow.mutate(row), allow.isPending)}
                rows={rows}
                keyOf={({ host, port }) => `${host} ${port}`}
              />
            );
          }}
        </QueryView>
      </Section>
    </>
  );
}
