import type { Plan } from "@opentiger/schema";
import { queryOptions } from "@tanstack/react-query";
import { ask, askText, part } from "./ask.ts";
import type { Events, Loop, Loops, Merged, NewLoop, Runs, Tasks, Usage } from "./types.ts";

/** As many as a page shows without asking for more. */
const most = 200;

export type LoopVerb = "approve" | "pause" | "cancel" | "retry" | "discard";

export const loopsQuery = (status?: string) =>
  queryOptions({
    queryKey: ["loops", { status }],
    queryFn: ({ signal }) => ask<Loops>("GET", "/loops", { query: { status, limit: most }, signal }),
  });

export const loopQuery = (id: string) =>
  queryOptions({
    queryKey: ["loop", id],
    queryFn: ({ signal }) => ask<Loop>("GET", `/loops/${part(id)}`, { signal }),
  });

export const loopTasksQuery = (id: string) =>
  queryOptions({
    queryKey: ["loop", id, "tasks"],
    queryFn: ({ signal }) => ask<Tasks>("GET", `/loops/${part(id)}/tasks`, { query: { limit: 500 }, signal }),
  });

export const loopRunsQuery = (id: string) =>
  queryOptions({
    queryKey: ["loop", id, "runs"],
    queryFn: ({ signal }) => ask<Runs>("GET", `/loops/${part(id)}/runs`, { query: { limit: 500 }, signal }),
  });

export const loopUsageQuery = (id: string) =>
  queryOptions({
    queryKey: ["loop", id, "usage"],
    queryFn: ({ signal }) => ask<Usage>("GET", `/loops/${part(id)}/usage`, { signal }),
  });

/** Of the loop, or of one of its tasks; all of them, since the newest are at the end. */
export const loopEventsQuery = (id: string, of: { task?: string; run?: string } = {}) =>
  queryOptions({
    queryKey: ["loop", id, "events", of],
    queryFn: async ({ signal }) => {
      const items: Events["items"] = [];
      for (let after: number | null = 0; after !== null && items.length < 5_000; ) {
        const page: Events = await ask<Events>("GET", `/loops/${part(id)}/events`, {
          query: { ...of, limit: 500, after },
          signal,
        });
        items.push(...page.items);
        after = page.next;
      }
      return items;
    },
  });

export function startLoop(loop: NewLoop, key: string): Promise<Loop> {
  return ask<Loop>("POST", "/loops", { body: loop, key });
}

export function editPlan(id: string, plan: Plan): Promise<Loop> {
  return ask<Loop>("PUT", `/loops/${part(id)}/plan`, { body: plan });
}

export function moveLoop(id: string, verb: LoopVerb): Promise<Loop> {
  return ask<Loop>("POST", `/loops/${part(id)}/${verb}`);
}

export function resumeLoop(
  id: string,
  budget?: { tokens: number | null; usd: number | null },
): Promise<Loop> {
  return ask<Loop>("POST", `/loops/${part(id)}/resume`, { body: budget ? { budget } : {} });
}

export function mergeLoop(id: string): Promise<Merged> {
  return ask<Merged>("POST", `/loops/${part(id)}/merge`);
}

/** The loop's commits, as `git am` takes them. */
export function loopPatch(id: string): Promise<string> {
  return askText(`/loops/${part(id)}/patch`);
}
