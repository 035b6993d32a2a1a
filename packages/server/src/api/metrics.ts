import { createRoute, z } from "@hono/zod-openapi";
import { allRows } from "@opentiger/orchestrator";
import { opentigerVersion } from "@opentiger/schema";
import type { Parts } from "../parts.ts";
import { failures, newApi } from "./api.ts";

const route = createRoute({
  method: "get",
  path: "/metrics",
  tags: ["health"],
  summary: "Numbers for Prometheus",
  responses: {
    200: { description: "Its text form", content: { "text/plain": { schema: z.string() } } },
    ...failures,
  },
});

const counted = z.object({ key: z.string(), count: z.number() });

export function metricsApi({ place, metrics, streams, processes }: Parts) {
  const { database } = place;
  const countBy = async (statement: string) => {
    const rows = await allRows(database, counted, statement);
    return rows.map(({ key, count }) => [{ status: key }, count] as const);
  };
  return newApi().openapi(route, async (c) => {
    const [loops, tasks, stages] = await Promise.all([
      countBy("select status as key, count(*) as count from loops group by 1"),
      countBy("select status as key, count(*) as count from tasks group by 1"),
      countBy("select state as key, count(*) as count from stages where state <> 'ended' group by 1"),
    ]);
    metrics.set("opentiger_info", "Which version runs.", [[{ version: opentigerVersion }, 1]]);
    metrics.set("opentiger_loops", "Loops, by status.", loops);
    metrics.set("opentiger_tasks", "Tasks, by status.", tasks);
    metrics.set("opentiger_open_stages", "Stages that have not ended, by state.", stages);
    metrics.set("opentiger_streams", "Streams of events that are open.", [[{}, streams.open]]);
    metrics.set(
      "opentiger_processes",
      "Processes, by name and state.",
      processes.list().map(({ name, state }) => [{ name, state }, 1] as const),
    );
    return c.text(metrics.write(), 200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" });
  });
}
