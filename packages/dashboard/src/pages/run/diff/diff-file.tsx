import type { PatchFile } from "@opentiger/schema";
import { useQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { ChevronRight } from "lucide-react";
import { useRef } from "react";
import { classes } from "../../../parts/classes.ts";
import { Card } from "../../../parts/page.tsx";
import { writtenOut } from "../../../parts/written-out.ts";
import { words } from "../../../words/words.ts";
import { DiffLineView } from "./diff-line.tsx";
import { languageOf } from "./highlight.ts";
import { useLineKeys } from "./use-line-keys.ts";

const lineHeight = 20;

/** Longer ones scroll by themselves. */
const mostLinesSeen = 40;

interface DiffFileProps {
  file: PatchFile;
  open: boolean;
  /** Absent where nothing can be said of it. */
  onComment?: ((line: number) => void) | undefined;
  /** Numbers of the lines on which somebody has written something. */
  commented: ReadonlySet<number>;
}

/** One file of a diff; only the lines in sight are drawn. */
export function DiffFileView({ file, open, onComment, commented }: DiffFileProps) {
  return (
    <Card className="mb-4 overflow-hidden">
      <details className="group" open={open}>
        <summary className="flex cursor-pointer list-none items-center gap-2 px-3 py-2 hover:bg-hover">
          <ChevronRight
            aria-hidden
            className="size-3 shrink-0 text-faint transition-transform group-open:rotate-90"
          />
          <code className="min-w-0 flex-1 truncate font-mono text-xs font-medium">
            {file.oldPath && <span className="text-faint">{writtenOut(file.oldPath)} → </span>}
            {writtenOut(file.path)}
          </code>
          <span className="numbers text-xs text-done">+{file.added}</span>
          <span className="numbers text-xs text-failed">−{file.removed}</span>
        </summary>
        {file.binary ? (
          <p className="border-t border-line px-4 py-3 text-faint">{words.run.binary}</p>
        ) : (
          <Lines file={file} onComment={onComment} commented={commented} />
        )}
      </details>
    </Card>
  );
}

function Lines({ file, onComment, commented }: Omit<DiffFileProps, "open">) {
  const { data: language } = useQuery({
    queryKey: ["language", file.path.split(".").at(-1)],
    queryFn: async () => (await languageOf(file.path)) ?? "",
    staleTime: Number.POSITIVE_INFINITY,
  });
  const box = useRef<HTMLElement>(null);
  const virtual = useVirtualizer({
    count: file.lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => lineHeight,
    overscan: 30,
  });
  const keys = useLineKeys(file.lines, { onComment, show: (index) => virtual.scrollToIndex(index) });
  return (
    <section
      ref={box}
      aria-label={file.path}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached without a mouse
      tabIndex={0}
      onKeyDown={keys.onKeyDown}
      className="overflow-auto border-t border-line outline-offset-[-2px]"
      style={{ height: Math.min(file.lines.length, mostLinesSeen) * lineHeight + 8 }}
    >
      <div className={classes("relative min-w-max")} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const line = file.lines[index];
          return (
            line && (
              <div
                key={index}
                className="absolute left-0 min-w-full"
                style={{ transform: `translateY(${start}px)`, height: lineHeight }}
              >
                <DiffLineView
                  line={line}
                  language={language ?? ""}
                  onComment={onComment}
                  commented={line.newNumber !== null && commented.has(line.newNumber)}
                  active={keys.active === index}
                />
              </div>
            )
          );
        })}
      </div>
      <p className="sr-only" aria-live="polite">
        {keys.told}
      </p>
    </section>
  );
}
