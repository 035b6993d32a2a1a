import { createRoute, z } from "@hono/zod-openapi";
import {
  addTask,
  cancelTask,
  editTask,
  findTask,
  listAllTasks,
  listJudgements,
  listTaskRuns,
  listTasks,
  pauseTask,
  resumeTask,
  retryTask,
  type TaskRow,
} from "@opentiger/orchestrator";
import { taskEdit, taskFields, taskRole, taskStatus } from "@opentiger/schema";
import { ServerError } from "../errors.ts";
import type { Parts } from "../parts.ts";
import { answers, creates, jsonBody, newApi } from "./api.ts";
import { idempotencyHeader, once } from "./idempotency.ts";
import { existing, wakeDispatcher } from "./loops.ts";
import { pageOf, pageQuery } from "./paging.ts";
import { judgementShape, loopId, runShape, taskShape, uuid } from "./shapes.ts";
import { shownRun } from "./shown-run.ts";
import { withoutAbsent } from "./without-absent.ts";

const tags = ["tasks"];
const params = z.object({ id: uuid });
const ofLoop = z.object({ id: loopId });
const newTask = taskFields.extend({}).openapi("NewTask");
const taskPatch = taskEdit.extend({}).openapi("TaskPatch");

const listRoute = createRoute({
  method: "get",
  path: "/loops/{id}/tasks",
  tags,
  summary: "The tasks of a loop, by their numbers",
  request: { params: ofLoop, query: pageQuery.extend({ status: taskStatus.optional() }) },
  responses: answers(pageOf(taskShape).openapi("Tasks"), "A page of them"),
});

const allRoute = createRoute({
  method: "get",
  path: "/tasks",
  tags,
  summary: "The tasks of all loops, the newest first",
  request: { query: pageQuery.extend({ status: taskStatus.optional(), role: taskRole.optional() }) },
  responses: answers(pageOf(taskShape).openapi("Tasks"), "A page of them"),
});

const addRoute = createRoute({
  method: "post",
  path: "/loops/{id}/tasks",
  tags,
  summary: "Adds a task to a loop that has not ended",
  request: { params: ofLoop, headers: idempotencyHeader, body: jsonBody(newTask) },
  responses: creates(taskShape, "The task"),
});

const showRoute = createRoute({
  method: "get",
  path: "/tasks/{id}",
  tags,
  summary: "One task",
  request: { params },
  responses: answers(taskShape, "The task"),
});

const editRoute = createRoute({
  method: "patch",
  path: "/tasks/{id}",
  tags,
  summary: "Changes a task that nobody has begun",
  request: { params, body: jsonBody(taskPatch) },
  responses: answers(taskShape, "The task, as it is then"),
});

const runsRoute = createRoute({
  method: "get",
  path: "/tasks/{id}/runs",
  tags: ["runs"],
  summary: "The runs of a task, in their order",
  request: { params, query: pageQuery },
  responses: answers(pageOf(runShape).openapi("Runs"), "A page of them"),
});

const judgementsRoute = createRoute({
  method: "get",
  path: "/tasks/{id}/judgements",
  tags: ["judgements"],
  summary: "What the judge said of it, oldest first, with the evidence",
  request: { params, query: pageQuery },
  responses: answers(pageOf(judgementShape).openapi("Judgements"), "A page of them"),
});

const retryRoute = moveRoute("retry", "Queues a task again that failed or was cancelled");
const cancelRoute = moveRoute("cancel", "Ends it; whoever works on it stops");
const pauseRoute = moveRoute("pause", "Keeps it from being begun");
const resumeRoute = moveRoute("resume", "Queues it again after a pause");

export function tasksApi(parts: Parts) {
  const { place } = parts;
  const { database } = place;
  return newApi()
    .openapi(listRoute, async (c) => {
      const { id } = await existing(parts, c.req.valid("param").id);
      return c.json(await listTasks(database, { loop: id, ...withoutAbsent(c.req.valid("query")) }), 200);
    })
    .openapi(allRoute, async (c) =>
      c.json(await listAllTasks(database, withoutAbsent(c.req.valid("query"))), 200),
    )
    .openapi(addRoute, async (c) => {
      const { id } = c.req.valid("param");
      const asked = c.req.valid("json");
      const made = await once(parts, c, asked, () => moved(addTask(place, id, withoutAbsent(asked))));
      return c.json(made, 201);
    })
    .openapi(showRoute, async (c) => c.json(await existingTask(parts, c.req.valid("param").id), 200))
    .openapi(editRoute, async (c) => {
      const { id } = c.req.valid("param");
      return c.json(await editTask(database, id, withoutAbsent(c.req.valid("json"))), 200);
    })
    .openapi(runsRoute, async (c) => {
      const { id } = await existingTask(parts, c.req.valid("param").id);
      const runs = await listTaskRuns(database, { task: id, ...c.req.valid("query") });
      return c.json({ ...runs, items: runs.items.map(shownRun) }, 200);
    })
    .openapi(judgementsRoute, async (c) => {
      const { id } = await existingTask(parts, c.req.valid("param").id);
      return c.json(await listJudgements(database, { task: id, ...c.req.valid("query") }), 200);
    })
    .openapi(retryRoute, async (c) => c.json(await moved(retryTask(database, c.req.valid("param").id)), 200))
    .openapi(cancelRoute, async (c) =>
      c.json(await moved(cancelTask(database, c.req.valid("param").id)), 200),
    )
    .openapi(pauseRoute, async (c) => c.json(await pauseTask(database, c.req.valid("param").id), 200))
    .openapi(resumeRoute, async (c) =>
      c.json(await moved(resumeTask(database, c.req.valid("param").id)), 200),
    );

  async function moved(change: Promise<TaskRow>): Promise<TaskRow> {
    const task = await change;
    wakeDispatcher(parts);
    return task;
  }
}

export async function existingTask({ place }: Parts, id: string): Promise<TaskRow> {
  const task = await findTask(place.database, id);
  if (task) return task;
  throw new ServerError("not_found", `there is no task ${id}`, {
    remedy: "GET /loops/ID/tasks lists those of a loop",
  });
}

function moveRoute<Verb extends string>(verb: Verb, summary: string) {
  return createRoute({
    method: "post",
    path: `/tasks/{id}/${verb}` as const,
    tags,
    summary,
    request: { params },
    responses: answers(taskShape, "The task"),
  });
}
