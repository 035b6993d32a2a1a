import { useSearch } from "@tanstack/react-router";
import { Input } from "./field.tsx";
import { useSearchChange } from "./use-search-change.ts";

/** What is searched for stands in the address, so that it can be shared. */
export function SearchField({ label }: { label: string }) {
  const { q = "" } = useSearch({ strict: false });
  const change = useSearchChange();
  return (
    <Input
      type="search"
      aria-label={label}
      placeholder={label}
      value={q}
      onChange={(event) => change({ q: event.target.value })}
      className="max-w-80 flex-1"
    />
  );
}
