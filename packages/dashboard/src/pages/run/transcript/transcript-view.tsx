import { useSearch } from "@tanstack/react-router";
import { ArrowDown, MessagesSquare } from "lucide-react";
import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { Button } from "../../../parts/button.tsx";
import { EmptyState, Loading } from "../../../parts/notes.tsx";
import { Card } from "../../../parts/page.tsx";
import { SearchField } from "../../../parts/search-field.tsx";
import { VirtualRows } from "../../../parts/virtual-rows.tsx";
import { words } from "../../../words/words.ts";
import { type Row, rowsOf } from "./rows.ts";
import { TranscriptRow } from "./transcript-row.tsx";
import { TranscriptStore } from "./transcript-store.ts";

const text = words.run;

/** Of a row that is one line long, in pixels. */
const usualHeight: Readonly<Record<Row["kind"], number>> = {
  say: 22,
  person: 22,
  think: 20,
  tool: 32,
  output: 20,
  mark: 28,
  raw: 20,
};

/** What the agent says and does, live. What is searched for stands in the address. */
export function TranscriptView({ run, live }: { run: string; live: boolean }) {
  const store = useMemo(() => new TranscriptStore(run), [run]);
  useEffect(() => store.start(), [store]);
  const { events, whole, gone } = useSyncExternalStore(store.subscribe, store.get);
  const { q: search = "" } = useSearch({ strict: false });
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const [following, setFollowing] = useState(live);
  const rows = useMemo(() => rowsOf(events, { open, search }), [events, open, search]);
  const toggle = (seq: number) =>
    setOpen((old) => {
      const next = new Set(old);
      if (!next.delete(seq)) next.add(seq);
      return next;
    });
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <SearchField label={text.search} />
        <span className="numbers text-xs text-faint" role="status">
          {text.lines(rows.length)}
        </span>
        {live && !following && !whole && (
          <Button icon={ArrowDown} onClick={() => setFollowing(true)} className="ml-auto">
            {text.follow}
          </Button>
        )}
      </div>
      {rows.length === 0 && !live && !whole && <Loading />}
      {rows.length === 0 && (live || whole) && (
        <EmptyState icon={MessagesSquare} title={emptyTitle()}>
          {gone}
        </EmptyState>
      )}
      {rows.length > 0 && (
        <Card>
          <VirtualRows
            label={text.transcript}
            count={rows.length}
            heightOf={(index) => usualHeight[rows[index]?.kind ?? "raw"]}
            keyOf={(index) => rows[index]?.id ?? index}
            row={(index) => {
              const row = rows[index];
              return row && <TranscriptRow row={row} search={search} onToggle={toggle} />;
            }}
            following={following && !whole}
            onNearEnd={setFollowing}
            className="h-[68vh] min-h-80 overflow-y-auto"
          />
        </Card>
      )}
    </>
  );

  function emptyTitle(): string {
    if (search.trim() !== "" && events.length > 0) return text.nothingFound;
    if (gone !== null) return text.notKept;
    return whole ? text.nothingSaid : text.waiting;
  }
}
