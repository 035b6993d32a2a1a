import type { UseInfiniteQueryResult, UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ErrorNote, Loading } from "./notes.tsx";

/** What was read, or that it is being read, or why it cannot be. What was read before stays while it is read anew. */
export function QueryView<Data>({
  query,
  children,
}: {
  query: UseQueryResult<Data> | UseInfiniteQueryResult<Data>;
  children: (data: Data) => ReactNode;
}) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <ErrorNote error={query.error} retry={() => void query.refetch()} />;
  return <Loading />;
}
