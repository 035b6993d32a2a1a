import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown, MessagesSquare } from "lucide-react";
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { Button } from "../../../parts/button.tsx";
import { Input } from "../../../parts/field.tsx";
import { EmptyState, Loading } from "../../../parts/notes.tsx";
import { Card } from "../../../parts/page.tsx";
import { words } from "../../../words/words.ts";
import { type Row, rowsOf } from "./rows.ts";
import { TranscriptRow } from "./transcript-row.tsx";
import { TranscriptStore } from "./transcript-store.ts";

const text = words.run;

/** So near to the end whoever looks wants to see what comes next. */
const nearPx = 60;

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

/** What the agent says and does, live. Of a hundred thousand lines those are drawn that can be seen. */
export function TranscriptView({ run, live }: { run: string; live: boolean }) {
  const store = useMemo(() => new TranscriptStore(run), [run]);
  useEffect(() => store.start(), [store]);
  const { events, whole } = useSyncExternalStore(store.subscribe, store.get);
  const [search, setSearch] = useState("");
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const [following, setFollowing] = useState(live);
  const rows = useMemo(() => rowsOf(events, { open, search }), [events, open, search]);
  const box = useRef<HTMLElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: (index) => usualHeight[rows[index]?.kind ?? "raw"],
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 24,
  });
  useEffect(() => {
    if (following && !whole && rows.length > 0) virtual.scrollToIndex(rows.length - 1, { align: "end" });
  }, [following, whole, rows.length, virtual]);
  const toggle = (seq: number) =>
    setOpen((old) => {
      const next = new Set(old);
      if (!next.delete(seq)) next.add(seq);
      return next;
    });
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <Input
          type="search"
          aria-label={text.search}
          placeholder={text.search}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          className="max-w-80 flex-1"
        />
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
        <EmptyState icon={MessagesSquare} title={whole ? text.nothingSaid : text.waiting} />
      )}
      {rows.length > 0 && (
        <Card>
          <section
            ref={box}
            aria-label={text.transcript}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached without a mouse
            tabIndex={0}
            onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) =>
              setFollowing(scrollHeight - scrollTop - clientHeight < nearPx)
            }
            onKeyDown={(event) => {
              // The browser's own way there ends where a row turns out to be higher than it was thought.
              const ends = { Home: 0, End: rows.length - 1 }[event.key];
              if (ends === undefined || event.target !== event.currentTarget) return;
              event.preventDefault();
              virtual.scrollToIndex(ends, { align: ends === 0 ? "start" : "end" });
            }}
            className="h-[68vh] min-h-80 overflow-y-auto"
          >
            <div className="relative w-full" style={{ height: virtual.getTotalSize() }}>
              {virtual.getVirtualItems().map((item) => {
                const row = rows[item.index];
                if (!row) return null;
                return (
                  <div
                    key={item.key}
                    ref={virtual.measureElement}
                    data-index={item.index}
                    className="absolute top-0 left-0 w-full"
                    style={{ transform: `translateY(${item.start}px)` }}
                  >
                    <TranscriptRow row={row} search={search} onToggle={toggle} />
                  </div>
                );
              })}
            </div>
          </section>
        </Card>
      )}
    </>
  );
}
