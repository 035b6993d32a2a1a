import { toneOf, tones } from "@opentiger/schema";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { Plus, RefreshCw } from "lucide-react";
import { loopsQuery } from "../../api/loops.ts";
import type { ListedLoop } from "../../api/types.ts";
import { ButtonLink } from "../../parts/button.tsx";
import { Input, Select } from "../../parts/field.tsx";
import { MorePages } from "../../parts/more-pages.tsx";
import { EmptyState } from "../../parts/notes.tsx";
import { Page } from "../../parts/page.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { useSearchChange } from "../../parts/use-search-change.ts";
import { words } from "../../words/words.ts";
import { LoopTable } from "./loop-table.tsx";

const { loops: text, states } = words;

/** All loops, the newest first; which of them are shown stands in the address. */
export function LoopsPage() {
  const loops = useInfiniteQuery(loopsQuery);
  const begin = (
    <ButtonLink look="primary" icon={Plus} to="/loops/new">
      {words.shell.newLoop}
    </ButtonLink>
  );
  return (
    <Page title={text.title} lead={text.lead} actions={begin}>
      <QueryView query={loops}>
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items);
          if (items.length > 0) return <Listed loops={items} />;
          return (
            <EmptyState icon={RefreshCw} title={text.emptyTitle} action={begin}>
              {text.empty}
            </EmptyState>
          );
        }}
      </QueryView>
      <MorePages query={loops} label={text.more} />
    </Page>
  );
}

function Listed({ loops }: { loops: readonly ListedLoop[] }) {
  const { q = "", status } = useSearch({ from: "__root__" });
  const search = useSearchChange();
  const shown = loops.filter(
    ({ requirement, state, id }) =>
      (!status || toneOf(state) === status) && `${id} ${requirement}`.toLowerCase().includes(q.toLowerCase()),
  );
  return (
    <>
      <div className="mb-4 flex flex-wrap gap-2">
        <Input
          type="search"
          aria-label={text.searchHint}
          placeholder={text.searchHint}
          value={q}
          onChange={(event) => search({ q: event.target.value })}
          className="max-w-80 flex-1"
        />
        <div className="w-40">
          <Select
            aria-label={text.filter}
            value={status ?? ""}
            onChange={(event) => search({ status: event.target.value })}
          >
            <option value="">{words.common.all}</option>
            {tones.map((tone) => (
              <option key={tone} value={tone}>
                {states.tones[tone]}
              </option>
            ))}
          </Select>
        </div>
      </div>
      {shown.length === 0 ? <p className="py-8 text-faint">{text.nothing}</p> : <LoopTable loops={shown} />}
    </>
  );
}
