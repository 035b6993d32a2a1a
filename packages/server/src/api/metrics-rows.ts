import { setTimeout as delay } from "node:timers/promises";
import { allRows, type Place, type Queryable } from "@opentiger/orchestrator";
import { type ExecutionEnvironment, executionEnvironments } from "@opentiger/schema";
import { z } from "zod";

type Measured = readonly (readonly [Readonly<Record<string, string>>, number])[];

/** An engine that takes longer is left out this time: whoever measures asks again. */
const listMs = 2_000;

const counted = z.object({ key: z.string(), count: z.number() });

/** How many rows there are of each status. */
export async function countByStatus(on: Queryable, statement: string): Promise<Measured> {
  const rows = await allRows(on, counted, statement);
  return rows.map(({ key, count }) => [{ status: key }, count]);
}

const outcome = z.object({ agent: z.string(), role: z.string(), outcome: z.string(), count: z.number() });

/** What came of all runs: the status, or the type of the failure. */
export async function runOutcomes(on: Queryable): Promise<Measured> {
  const rows = await allRows(
    on,
    outcome,
    `select agent, role, coalesce(failure->>'type', status) as outcome, count(*) as count from runs
     where status <> 'running' group by 1, 2, 3`,
  );
  return rows.map(({ count, ...labels }) => [labels, count]);
}

const used = z.object({
  agent: z.string(),
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  usd: z.number(),
});

/** What all runs have used, by agent. */
export async function usedByAgents(on: Queryable): Promise<{ tokens: Measured; usd: Measured }> {
  const sum = (kind: string) => `coalesce(sum((tokens->>'${kind}')::bigint), 0)::bigint as "${kind}"`;
  const kinds = ["input", "output", "cacheRead", "cacheWrite"] as const;
  const rows = await allRows(
    on,
    used,
    `select agent, ${kinds.map(sum).join(", ")}, coalesce(sum(usd), 0)::float8 as usd from runs group by 1`,
  );
  return {
    tokens: rows.flatMap((row) => kinds.map((kind) => [{ agent: row.agent, kind }, row[kind]] as const)),
    usd: rows.map(({ agent, usd }) => [{ agent }, usd]),
  };
}

/** Our own sandboxes, where they can be counted. */
export async function sandboxesByStatus(place: Pick<Place, "backend">): Promise<Measured> {
  const lists = await Promise.all(executionEnvironments.map((environment) => ownIn(place, environment)));
  return lists.flat();
}

async function ownIn(place: Pick<Place, "backend">, environment: ExecutionEnvironment): Promise<Measured> {
  const listing = place.backend(environment).then((backend) => backend.list());
  const found = await Promise.race([listing.catch(() => []), delay(listMs, [], { ref: false })]);
  const counts = new Map<string, number>();
  for (const { own, status } of found) if (own) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => [{ environment, status }, count]);
}
