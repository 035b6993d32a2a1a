import { createRoute, z } from "@hono/zod-openapi";
import {
  approveLoop,
  cancelLoop,
  editPlan,
  ensureDispatcher,
  findLoop,
  type LoopRow,
  listLoops,
  pauseLoop,
  readStories,
  resumeLoop,
  retryLoop,
  startLoop,
} from "@opentiger/orchestrator";
import {
  keptPlan,
  type LoopSource,
  longestRequirement,
  loopSettings,
  loopStatus,
  plan,
  plannedTask,
  projectFile,
} from "@opentiger/schema";
import { ServerError } from "../errors.ts";
import type { Parts } from "../parts.ts";
import { answers, creates, jsonBody, newApi, optionalJsonBody } from "./api.ts";
import { idempotencyHeader, once } from "./idempotency.ts";
import { noProgress, progressOf, progressShape } from "./loop-progress.ts";
import { pageOf, pageQuery } from "./paging.ts";
import { loopId, loopShape, uuid } from "./shapes.ts";
import { withoutAbsent } from "./without-absent.ts";

const tags = ["loops"];
const params = z.object({ id: loopId });
const listed = loopShape.extend({ progress: progressShape }).openapi("ListedLoop");
const page = pageOf(listed).openapi("Loops");

const newLoop = z
  .strictObject({
    repository: z.strictObject({
      path: z.string().min(1).max(4_096).openapi({ description: "an absolute path on the server's machine" }),
      name: z.string().min(1).max(200).optional(),
    }),
    requirement: z.string().max(longestRequirement).openapi({ description: "what is wanted, in prose" }),
    stories: z
      .strictObject({
        text: z.string().min(1).max(1_000_000),
        file: z.string().max(1_000).nullable().default(null),
      })
      .optional()
      .openapi({ description: "a story file, as docs/stories.md has it; the planner is not asked then" }),
    single: z.boolean().default(false).openapi({ description: "the requirement is the one task" }),
    settings: loopSettings.extend({ project: projectFile.partial().default({}) }).optional(),
  })
  .openapi("NewLoop");

const budget = z
  .strictObject({ tokens: z.number().int().positive().nullable(), usd: z.number().positive().nullable() })
  .openapi("Budget");

const listRoute = createRoute({
  method: "get",
  path: "/loops",
  tags,
  summary: "All loops, the newest first, with how far they are",
  request: { query: pageQuery.extend({ repository: uuid.optional(), status: loopStatus.optional() }) },
  responses: answers(page, "A page of them"),
});

const createLoopRoute = createRoute({
  method: "post",
  path: "/loops",
  tags,
  summary: "Starts a loop, of a requirement or of stories",
  request: { headers: idempotencyHeader, body: jsonBody(newLoop) },
  responses: creates(loopShape, "The loop, which is to be planned"),
});

const showRoute = createRoute({
  method: "get",
  path: "/loops/{id}",
  tags,
  summary: "One loop, with its plan",
  request: { params },
  responses: answers(loopShape, "The loop"),
});

const planRoute = createRoute({
  method: "get",
  path: "/loops/{id}/plan",
  tags,
  summary: "What is going to be done, as it is after every change while it waits for approval",
  request: { params },
  responses: answers(
    z.object({ plan: keptPlan.nullable() }).openapi("LoopPlan"),
    "The plan; null until there is one",
  ),
});

const editRoute = createRoute({
  method: "put",
  path: "/loops/{id}/plan",
  tags,
  summary: "Another plan, while it waits for approval",
  request: {
    params,
    body: jsonBody(z.strictObject({ ...plan.shape, tasks: z.array(plannedTask.strict()).min(1) })),
  },
  responses: answers(loopShape, "The loop with that plan"),
});

const moreBudget = optionalJsonBody(z.strictObject({ budget: budget.optional() }));

const resumeRoute = createRoute({
  method: "post",
  path: "/loops/{id}/resume",
  tags,
  summary: "Goes on with a loop that was paused, with another budget where one is given",
  request: { params, body: moreBudget },
  responses: answers(loopShape, "The loop"),
});

const retryRoute = createRoute({
  method: "post",
  path: "/loops/{id}/retry",
  tags,
  summary: "Tries everything again that failed, with another budget where one is given",
  request: { params, body: moreBudget },
  responses: answers(loopShape, "The loop"),
});

const approveRoute = createRoute({
  method: "post",
  path: "/loops/{id}/approve",
  tags,
  summary: "Lets a plan run that waits for it; with `planVersion` only the plan that had it",
  request: { params, body: optionalJsonBody(z.strictObject({ planVersion: z.string().optional() })) },
  responses: answers(loopShape, "The loop"),
});

const pauseRoute = moveRoute("pause", "Begins nothing more of it");
const cancelRoute = moveRoute("cancel", "Ends it and all of its tasks; what is on the branch stays there");

export function loopsApi(parts: Parts) {
  const { place } = parts;
  const { database } = place;
  return newApi()
    .openapi(listRoute, async (c) => {
      const loops = await listLoops(database, withoutAbsent(c.req.valid("query")));
      const progress = await progressOf(
        database,
        loops.items.map(({ id }) => id),
      );
      const items = loops.items.map((loop) => ({ ...loop, progress: progress.get(loop.id) ?? noProgress }));
      return c.json({ ...loops, items }, 200);
    })
    .openapi(createLoopRoute, async (c) => {
      const asked = c.req.valid("json");
      const made = await once(parts, c, asked, async () => {
        const { repository, requirement } = asked;
        const settings = asked.settings ?? loopSettings.parse({});
        const loop = await startLoop(place, {
          repository: withoutAbsent(repository),
          requirement,
          source: sourceOf(asked),
          settings,
        });
        wakeDispatcher(parts);
        return loop;
      });
      return c.json(made, 201);
    })
    .openapi(showRoute, async (c) => c.json(await existing(parts, c.req.valid("param").id), 200))
    .openapi(planRoute, async (c) => {
      const loop = await existing(parts, c.req.valid("param").id);
      return c.json({ plan: loop.plan }, 200);
    })
    .openapi(editRoute, async (c) => {
      const { id } = c.req.valid("param");
      return c.json(await editPlan(place, id, c.req.valid("json")), 200);
    })
    .openapi(approveRoute, async (c) => {
      const seen = c.req.valid("json")?.planVersion;
      return c.json(await moved(approveLoop(database, c.req.valid("param").id, { seen })), 200);
    })
    .openapi(pauseRoute, async (c) => c.json(await pauseLoop(database, c.req.valid("param").id), 200))
    .openapi(resumeRoute, async (c) => {
      const given = c.req.valid("json")?.budget;
      const options = given === undefined ? {} : { budget: given };
      return c.json(await moved(resumeLoop(place, c.req.valid("param").id, options)), 200);
    })
    .openapi(cancelRoute, async (c) =>
      c.json(await moved(cancelLoop(database, c.req.valid("param").id)), 200),
    )
    .openapi(retryRoute, async (c) => {
      const given = c.req.valid("json")?.budget;
      const options = given === undefined ? {} : { budget: given };
      return c.json(await moved(retryLoop(place, c.req.valid("param").id, options)), 200);
    });

  async function moved(change: Promise<LoopRow>): Promise<LoopRow> {
    const loop = await change;
    wakeDispatcher(parts);
    return loop;
  }
}

/** The loop that somebody named; whoever names another one is told so. */
export async function existing({ place }: Parts, id: string): Promise<LoopRow> {
  const loop = await findLoop(place.database, id);
  if (loop) return loop;
  throw new ServerError("not_found", `there is no loop ${id}`, {
    remedy: "GET /loops lists those that there are",
  });
}

/** One that has ended because there was nothing to do is started again. Nobody waits for it. */
export function wakeDispatcher({ place, processes }: Parts): void {
  if (!processes.wants("dispatcher")) return;
  ensureDispatcher(place.env).catch((error: unknown) => place.log(`no dispatcher runs: ${String(error)}`));
}

function moveRoute<Verb extends string>(verb: Verb, summary: string) {
  return createRoute({
    method: "post",
    path: `/loops/{id}/${verb}` as const,
    tags,
    summary,
    request: { params },
    responses: answers(loopShape, "The loop"),
  });
}

function sourceOf({ stories, single }: Pick<z.output<typeof newLoop>, "stories" | "single">): LoopSource {
  if (stories && single) throw new ServerError("usage", "a loop has stories or one task, not both");
  if (!stories) return { kind: single ? "single" : "prose" };
  return { kind: "stories", file: stories.file, ...readStories(stories.text, stories.file) };
}
