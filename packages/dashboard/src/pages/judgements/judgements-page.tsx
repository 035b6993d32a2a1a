import { useInfiniteQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { Scale } from "lucide-react";
import { judgementsQuery } from "../../api/judgements.ts";
import { MorePages } from "../../parts/more-pages.tsx";
import { EmptyState, ErrorNote, Loading } from "../../parts/notes.tsx";
import { Card, Page } from "../../parts/page.tsx";
import { Segments } from "../../parts/segments.tsx";
import { useSearchChange } from "../../parts/use-search-change.ts";
import { words } from "../../words/words.ts";
import { JudgementRow } from "./judgement-row.tsx";

const { judgements: text } = words;
const choices = [
  { value: "", label: text.all },
  { value: "pass", label: text.pass },
  { value: "fail", label: text.fail },
  { value: "inconclusive", label: text.inconclusive },
] as const;

/** What the judge said of all tasks, the newest first. */
export function JudgementsPage() {
  const { status = "" } = useSearch({ strict: false });
  const change = useSearchChange();
  const wanted = choices.find(({ value }) => value === status)?.value ?? "";
  const query = useInfiniteQuery(judgementsQuery(wanted === "" ? undefined : wanted));
  const items = query.data?.pages.flatMap((page) => page.items);
  const choose = (value: string) => change({ status: value });
  return (
    <Page
      title={text.title}
      lead={text.lead}
      actions={<Segments label={text.filter} choices={choices} value={wanted} onChoose={choose} />}
    >
      {query.error && !items && <ErrorNote error={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <Loading />}
      {items?.length === 0 && (
        <EmptyState icon={Scale} title={wanted === "" ? text.empty : text.emptyFiltered}>
          {wanted === "" ? text.emptyHint : text.emptyFilteredHint}
        </EmptyState>
      )}
      {items && items.length > 0 && (
        <Card className="divide-y divide-line">
          {items.map((item) => (
            <JudgementRow key={item.id} item={item} />
          ))}
        </Card>
      )}
      <MorePages query={query} label={text.more} />
    </Page>
  );
}
