import { z } from "zod";
import { executeStage } from "../../../packages/orchestrator/src/dispatch/execute-stage.ts";
import { openPlace } from "../../../packages/orchestrator/src/process/open-place.ts";
import { lease } from "../../../packages/orchestrator/src/state/lease.ts";
import { askPlanner } from "./planner-question.ts";

/** A process that somebody will kill: it works on a stage that was claimed for it. */
const about = z
  .object({ does: z.enum(["execute", "ask"]), lease: lease.extend({ until: z.coerce.date() }) })
  .parse(JSON.parse(process.argv[2] ?? ""));

const place = await openPlace(process.env, { program: "test", log: (line) => console.error(line) });
const { signal } = new AbortController();
if (about.does === "execute") await executeStage(place, about.lease, signal);
else await askPlanner(place, about.lease, signal);
await place.close();
