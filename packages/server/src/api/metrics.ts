import { createRoute, z } from "@hono/zod-openapi";
import { opentigerVersion } from "@opentiger/schema";
import type { Parts } from "../parts.ts";
import { failures, newApi } from "./api.ts";
import { countByStatus, runOutcomes, sandboxesByStatus, usedByAgents } from "./metrics-rows.ts";

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

export function metricsApi({ place, metrics, streams, processes }: Parts) {
  const { database } = place;
  return newApi().openapi(route, async (c) => {
    const [loops, tasks, stages, outcomes, used, sandboxes] = await Promise.all([
      countByStatus(database, "select status as key, count(*) as count from loops group by 1"),
      countByStatus(database, "select status as key, count(*) as count from tasks group by 1"),
      countByStatus(
        database,
        "select state as key, count(*) as count from stages where state <> 'ended' group by 1",
      ),
      runOutcomes(database),
      usedByAgents(database),
      sandboxesByStatus(place),
    ]);
    metrics.set("opentiger_info", "Which version runs.", [[{ version: opentigerVersion }, 1]]);
    metrics.set("opentiger_loops", "Loops, by status.", loops);
    metrics.set("opentiger_tasks", "Tasks, by status.", tasks);
    metrics.set("opentiger_open_stages", "Stages that have not ended, by state.", stages);
    metrics.setTotal("opentiger_runs_total", "Runs that have ended, by what came of them.", outcomes);
    metrics.setTotal("opentiger_tokens_total", "Tokens that all runs have used.", used.tokens);
    metrics.setTotal("opentiger_cost_usd_total", "What they cost, as far as prices are known.", used.usd);
    metrics.set("opentiger_sandboxes", "Our sandboxes, by where they are and their status.", sandboxes);
    metrics.set("opentiger_streams", "Streams of events that are open.", [[{}, streams.open]]);
    metrics.set(
      "opentiger_processes",
      "Processes, by name and state.",
      processes.list().map(({ name, state }) => [{ name, state }, 1] as const),
    );
    metrics.setTotal(
      "opentiger_process_restarts_total",
      "How often a process was started again.",
      processes.list().map(({ name, restarts }) => [{ name }, restarts] as const),
    );
    return c.text(metrics.write(), 200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" });
  });
}
