import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { SlidersHorizontal } from "lucide-react";
import { configQuery } from "../../api/system.ts";
import type { Config } from "../../api/types.ts";
import { Check, Input } from "../../parts/field.tsx";
import { EmptyState } from "../../parts/notes.tsx";
import { Card, Section } from "../../parts/page.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { useSearchChange } from "../../parts/use-search-change.ts";
import { words } from "../../words/words.ts";
import { groupsOf } from "./setting-groups.ts";
import { SettingRow } from "./setting-row.tsx";

const { systemParts: text } = words;

/** Every setting by groups, with where its value comes from. Which of them are shown stands in the address. */
export function Configuration() {
  const query = useQuery(configQuery);
  return <QueryView query={query}>{(config) => <Settings config={config} />}</QueryView>;
}

function Settings({ config }: { config: Config }) {
  const { q = "", only } = useSearch({ strict: false });
  const change = useSearchChange();
  const changedOnly = only === "changed";
  const search = (value: string) => change({ q: value });
  const groups = groupsOf(config.settings, q, changedOnly);
  return (
    <>
      <div className="mb-6 flex flex-wrap items-center gap-x-5 gap-y-3">
        <Input
          type="search"
          value={q}
          onChange={(event) => search(event.target.value)}
          placeholder={text.searchSettings}
          aria-label={text.searchSettings}
          className="max-w-90 min-w-60 flex-1"
        />
        <Check
          label={text.changedOnly}
          checked={changedOnly}
          onChange={(event) => change({ only: event.target.checked ? "changed" : "" })}
        />
        <p className="text-faint md:ml-auto">{text.configLead}</p>
      </div>
      {groups.length === 0 && (
        <EmptyState icon={SlidersHorizontal} title={text.searchNothing}>
          {text.searchNothingHint}
        </EmptyState>
      )}
      {groups.map(({ title, settings }) => (
        <Section key={title} title={title}>
          <Card className="divide-y divide-line">
            {settings.map((setting) => (
              <SettingRow key={`${setting.key} ${JSON.stringify(setting.value)}`} setting={setting} />
            ))}
          </Card>
        </Section>
      ))}
    </>
  );
}
