import { useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { Ansi } from "../../../parts/ansi.tsx";
import { ansiLines, withoutAnsi } from "../../../parts/ansi-spans.ts";
import { Card } from "../../../parts/page.tsx";
import { VirtualRows } from "../../../parts/virtual-rows.tsx";
import { words } from "../../../words/words.ts";

const text = words.run;
const lineHeight = 20;

/** What was printed, line by line, each with its number; of those that contain what is searched for, only these. */
export function LogLines({ name, written }: { name: string; written: string }) {
  const { q: search = "" } = useSearch({ strict: false });
  const all = useMemo(
    () => ansiLines(written).map((line, index) => ({ line, number: index + 1 })),
    [written],
  );
  const shown = useMemo(() => {
    const asked = search.trim().toLowerCase();
    return asked === "" ? all : all.filter(({ line }) => withoutAnsi(line).toLowerCase().includes(asked));
  }, [all, search]);
  if (shown.length === 0) return <p className="text-faint">{text.nothingFound}</p>;
  return (
    <Card>
      <VirtualRows
        label={name}
        count={shown.length}
        heightOf={() => lineHeight}
        keyOf={(index) => shown[index]?.number ?? index}
        row={(index) => {
          const row = shown[index];
          return row && <Line number={row.number} line={row.line} search={search} />;
        }}
        className="max-h-[60vh] overflow-y-auto py-2"
      />
    </Card>
  );
}

function Line({ number, line, search }: { number: number; line: string; search: string }) {
  return (
    <div className="flex font-mono text-xs/5 hover:bg-hover">
      <span aria-hidden className="numbers w-14 shrink-0 pr-4 text-right text-faint select-none">
        {number}
      </span>
      <pre className="min-h-5 min-w-0 flex-1 pr-4 break-words whitespace-pre-wrap">
        <Ansi text={line} search={search} />
      </pre>
    </div>
  );
}
