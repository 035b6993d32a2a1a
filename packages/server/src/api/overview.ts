import { createRoute, z } from "@hono/zod-openapi";
import { usageOfDay } from "@opentiger/orchestrator";
import { agentEvent, role, taskFailure } from "@opentiger/schema";
import { readTranscript } from "../live/transcript.ts";
import type { Parts } from "../parts.ts";
import { answers, newApi } from "./api.ts";
import { doneLastHour, endedByDay, runningNow, waitingForSomebody } from "./overview-rows.ts";
import { loopId, time, usageShape, uuid } from "./shapes.ts";

const about = {
  loop: loopId,
  requirement: z.string(),
  task: z.object({ id: uuid, number: z.number().int(), title: z.string() }).nullable(),
};

const running = z
  .object({
    ...about,
    run: uuid,
    agent: z.string(),
    role,
    sandbox: z.string().nullable(),
    startedAt: time,
    tokens: z.number().int(),
    usd: z.number().nullable(),
    /** What it did or said last. */
    action: agentEvent.nullable(),
  })
  .openapi("RunningAgent");

const waiting = z
  .object({
    ...about,
    state: z.string(),
    detail: z.string().nullable(),
    /** Of its last run. */
    failure: taskFailure.nullable(),
    since: time,
    until: time.nullable(),
  })
  .openapi("Waiting");

const overview = z
  .object({
    waiting: z.array(waiting),
    running: z.array(running),
    /** How many tasks came to their end: within the last hour, and on each of the last 14 days on which some did. */
    throughput: z.object({
      doneLastHour: z.number().int(),
      days: z.array(z.object({ day: z.string(), done: z.number().int(), failed: z.number().int() })),
    }),
    today: usageShape,
    /** What may be used in a day; null: as much as it takes. */
    bound: z.object({ tokens: z.number().nullable(), usd: z.number().nullable() }),
  })
  .openapi("Overview");

const route = createRoute({
  method: "get",
  path: "/overview",
  tags: ["loops"],
  summary:
    "What waits for somebody, what runs now with what it does, how many tasks end, and what today has cost",
  responses: answers(overview, "All of it"),
});

/** The last of these is what it does; usage and what nobody knows say nothing of it. */
const looked = 20;
const telling = new Set(["text", "thinking", "tool_call", "file_change", "finished", "started"]);

export function overviewApi({ place }: Parts) {
  const { database, config } = place;
  return newApi().openapi(route, async (c) => {
    const [waits, runs, days, lastHour, today] = await Promise.all([
      waitingForSomebody(database),
      runningNow(database),
      endedByDay(database),
      doneLastHour(database),
      usageOfDay(database),
    ]);
    const agents = await Promise.all(
      runs.map(async ({ lastSeq, ...run }) => ({ ...run, action: await lastAction(run.run, lastSeq) })),
    );
    const bound = { tokens: config.get("OPENTIGER_DAY_TOKENS"), usd: config.get("OPENTIGER_DAY_USD") };
    return c.json(
      { waiting: waits, running: agents, throughput: { doneLastHour: lastHour, days }, today, bound },
      200,
    );
  });

  async function lastAction(run: string, lastSeq: number) {
    const { items } = await readTranscript(place, run, { after: Math.max(0, lastSeq - looked), limit: 500 });
    return items.findLast(({ type }) => telling.has(type)) ?? null;
  }
}
