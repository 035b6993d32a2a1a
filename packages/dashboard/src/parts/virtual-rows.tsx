import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useRef } from "react";

/** So near to the end whoever looks wants to see what comes next. */
const nearPx = 60;

interface VirtualRowsProps {
  /** What it is a list of, for those who do not see it. */
  label: string;
  count: number;
  /** Of a row that is one line long, in pixels. */
  heightOf(index: number): number;
  keyOf(index: number): string | number;
  row(index: number): ReactNode;
  className: string;
  /** It stays at the end, whatever comes. */
  following?: boolean;
  onNearEnd?(isNear: boolean): void;
}

/** A list that scrolls. Of a hundred thousand rows those are drawn that can be seen. */
export function VirtualRows(list: VirtualRowsProps) {
  const { label, count, heightOf, keyOf, row, className, following = false, onNearEnd } = list;
  const box = useRef<HTMLElement>(null);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: heightOf,
    getItemKey: keyOf,
    overscan: 24,
  });
  useEffect(() => {
    if (following && count > 0) virtual.scrollToIndex(count - 1, { align: "end" });
  }, [following, count, virtual]);
  return (
    <section
      ref={box}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached without a mouse
      tabIndex={0}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) =>
        onNearEnd?.(scrollHeight - scrollTop - clientHeight < nearPx)
      }
      onKeyDown={(event) => {
        // The browser's own way there ends where a row turns out to be higher than it was thought.
        const ends = { Home: 0, End: count - 1 }[event.key];
        if (ends === undefined || event.target !== event.currentTarget) return;
        event.preventDefault();
        virtual.scrollToIndex(ends, { align: ends === 0 ? "start" : "end" });
      }}
      className={className}
    >
      <div className="relative w-full" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => (
          <div
            key={item.key}
            ref={virtual.measureElement}
            data-index={item.index}
            className="absolute top-0 left-0 w-full"
            style={{ transform: `translateY(${item.start}px)` }}
          >
            {row(item.index)}
          </div>
        ))}
      </div>
    </section>
  );
}
