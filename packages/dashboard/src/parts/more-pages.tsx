import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { Button } from "./button.tsx";

type Paged = Pick<UseInfiniteQueryResult, "hasNextPage" | "isFetchingNextPage" | "fetchNextPage">;

/** Brings the next page of a list, where there is one. */
export function MorePages({ query, label }: { query: Paged; label: string }) {
  if (!query.hasNextPage) return null;
  return (
    <div className="mt-4 flex justify-center">
      <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        {label}
      </Button>
    </div>
  );
}
