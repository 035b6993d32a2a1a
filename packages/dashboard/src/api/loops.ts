import type { Plan } from "@opentiger/schema";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { allPages } from "./all-pages.ts";
import { ask, askText, part } from "./ask.ts";
import type { Events, Loop, Loops, Merged, NewLoop, Runs, Task, Usage } from "./types.ts";

/** As many as are shown without asking for more. */
const atOnce = 100;

const paged = {
  initialPageParam: undefined as number | undefined,
  getNextPageParam: (page: { next: number | null }) => page.next ?? undefined,
};

export type LoopVerb = "pause" | "cancel" | "discard";

/** With another budget where one is given. */
export type GoingOn = "resume" | "retry";

/** The newest of them, for what shows only those. */
export const newestLoopsQuery = queryOptions({
  queryKey: ["loops", "newest"],
  queryFn: ({ signal }) => ask<Loops>("GET", "/loops", { query: { limit: atOnce }, signal }),
});

/** All of them, the newest first, page by page. */
export const loopsQuery = infiniteQueryOptions({
  queryKey: ["loops", "pages"],
  queryFn: ({ pageParam, signal }) =>
    ask<Loops>("GET", "/loops", { query: { after: pageParam, limit: atOnce }, signal }),
  ...paged,
});

export const loopQuery = (id: string) =>
  queryOptions({
    queryKey: ["loop", id],
    queryFn: ({ signal }) => ask<Loop>("GET", `/loops/${part(id)}`, { signal }),
  });

export const loopTasksQuery = (id: string) =>
  queryOptions({
    queryKey: ["loop", id, "tasks"],
    queryFn: ({ signal }) => allPages<Task>(`/loops/${part(id)}/tasks`, { signal }),
  });

/** The newest first. */
export const loopRunsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ["loop", id, "runs"],
    queryFn: ({ pageParam, signal }) =>
      ask<Runs>("GET", `/loops/${part(id)}/runs`, { query: { after: pageParam, limit: atOnce }, signal }),
    ...paged,
  });

export const loopUsageQuery = (id: string) =>
  queryOptions({
    queryKey: ["loop", id, "usage"],
    queryFn: ({ signal }) => ask<Usage>("GET", `/loops/${part(id)}/usage`, { signal }),
  });

/** Of the loop, or of one of its tasks; the newest first. */
export const loopEventsQuery = (id: string, of: { task?: string; run?: string } = {}) =>
  infiniteQueryOptions({
    queryKey: ["loop", id, "events", of],
    queryFn: ({ pageParam, signal }) =>
      ask<Events>("GET", `/loops/${part(id)}/events`, {
        query: { ...of, order: "desc", after: pageParam, limit: atOnce },
        signal,
      }),
    ...paged,
  });

export function startLoop(loop: NewLoop, key: string): Promise<Loop> {
  return ask<Loop>("POST", "/loops", { body: loop, key });
}

export function editPlan(id: string, plan: Plan): Promise<Loop> {
  return ask<Loop>("PUT", `/loops/${part(id)}/plan`, { body: plan });
}

/** The plan that has this version, which is the one that was looked at, and no other. */
export function approveLoop(id: string, planVersion: string | null): Promise<Loop> {
  return ask<Loop>("POST", `/loops/${part(id)}/approve`, {
    body: planVersion === null ? {} : { planVersion },
  });
}

export function moveLoop(id: string, verb: LoopVerb): Promise<Loop> {
  return ask<Loop>("POST", `/loops/${part(id)}/${verb}`);
}

export function goOnWithLoop(
  id: string,
  verb: GoingOn,
  budget?: { tokens: number | null; usd: number | null },
): Promise<Loop> {
  return ask<Loop>("POST", `/loops/${part(id)}/${verb}`, { body: budget ? { budget } : {} });
}

export function mergeLoop(id: string): Promise<Merged> {
  return ask<Merged>("POST", `/loops/${part(id)}/merge`);
}

/** The loop's commits, as `git am` takes them. */
export function loopPatch(id: string): Promise<string> {
  return askText(`/loops/${part(id)}/patch`);
}
