import type { ApiClient } from "@opentiger/server";
import { infiniteQueryOptions } from "@tanstack/react-query";
import { ask } from "./ask.ts";
import type { Answer } from "./types.ts";

type JudgementList = Answer<ApiClient["judgements"]["$get"]>;
export type JudgementItem = JudgementList["items"][number];

/** Of all tasks, the newest first. Whatever is judged changes a loop, and so these are read anew with the loops. */
export const judgementsQuery = (judgement: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ["loops", "judgements", { judgement }],
    queryFn: ({ pageParam, signal }) =>
      ask<JudgementList>("GET", "/judgements", { query: { judgement, after: pageParam, limit: 50 }, signal }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
  });
