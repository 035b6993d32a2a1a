import { allRows, databaseUrl, EmbeddedPostgres } from "@opentiger/orchestrator";
import { z } from "zod";
import { type Check, ok } from "./check.ts";

/** A server that was killed reads what it wrote since its last checkpoint before it is ready. */
const recoveryMs = 60_000;

const facts = z.object({ version: z.string(), steps: z.number(), newest: z.string() });

/** By opening it, as every command does: the embedded one is started where it does not run, and goes on. */
export const databaseCheck: Check = {
  name: "database",
  timeoutMs: recoveryMs,
  async look(ward) {
    const url = databaseUrl(ward.env);
    const before = url ? undefined : await new EmbeddedPostgres(ward.env).status();
    const place = await ward.place();
    if (!place) return [ok("there is none yet: it is made when it is first needed")];
    const [found] = await allRows(
      place.database,
      facts,
      `select current_setting('server_version') as version, count(*)::int as steps,
         coalesce((array_agg(name order by version desc))[1], '') as newest from migrations`,
    );
    const kind = url ? url.where : "embedded";
    const started = before?.state === "stopped" ? ", which was started for this" : "";
    return [
      ok(`PostgreSQL ${found?.version} (${kind}${started}), ${found?.steps} steps up to ${found?.newest}`),
    ];
  },
};
