import { useSearch } from "@tanstack/react-router";
import { Tabs as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { useSearchChange } from "./use-search-change.ts";

export interface Tab {
  id: string;
  label: string;
  count?: number;
  content(): ReactNode;
}

/** Which of them is open stands in the address, so that it can be shared. The first is the default. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const { tab: asked } = useSearch({ strict: false });
  const change = useSearchChange();
  const open = tabs.find(({ id }) => id === asked) ?? tabs[0];
  if (!open) return null;
  const go = (tab: string) => change({ tab });
  return (
    <Radix.Root value={open.id} onValueChange={go}>
      <Radix.List aria-label={label} className="mb-5 flex gap-5 overflow-x-auto border-b border-line">
        {tabs.map(({ id, label: name, count }) => (
          <Radix.Trigger
            key={id}
            value={id}
            className="-mb-px flex h-9 items-center gap-1.5 border-b-2 border-transparent text-sm font-medium whitespace-nowrap text-faint outline-offset-[-2px] transition-colors hover:text-ink data-[state=active]:border-brand data-[state=active]:text-ink"
          >
            {name}
            {count !== undefined && <span className="numbers text-xs text-faint">{count}</span>}
          </Radix.Trigger>
        ))}
      </Radix.List>
      <Radix.Content value={open.id} tabIndex={-1} className="outline-none">
        {open.content()}
      </Radix.Content>
    </Radix.Root>
  );
}
