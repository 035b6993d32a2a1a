import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { processLogQuery } from "../../api/processes.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { words } from "../../words/words.ts";

const { systemParts: text } = words;

/** The end of what a process wrote, as it writes it. */
export function ProcessLog({ name, onClose }: { name: string; onClose: () => void }) {
  const query = useQuery(processLogQuery(name));
  const box = useRef<HTMLPreElement>(null);
  const written = query.data?.text;
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever more was written
  useEffect(() => {
    box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [written]);
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={text.logOf(name)}
      lead={query.data && <code className="font-mono text-xs break-all">{query.data.file}</code>}
    >
      <QueryView query={query}>
        {(log) => (
          <pre
            ref={box}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, which has to work without a mouse
            tabIndex={0}
            className="max-h-[56vh] min-h-40 overflow-auto rounded-md bg-sunken p-3 font-mono text-xs whitespace-pre-wrap"
          >
            {log.text === "" ? text.logEmpty : log.text}
          </pre>
        )}
      </QueryView>
    </Dialog>
  );
}
