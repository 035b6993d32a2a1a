import { createRoute, z } from "@hono/zod-openapi";
import { listMessages, sendBack, sendMessage } from "@opentiger/orchestrator";
import { messageText, sentBack } from "@opentiger/schema";
import type { Parts } from "../parts.ts";
import { answers, creates, jsonBody, newApi } from "./api.ts";
import { idempotencyHeader, once } from "./idempotency.ts";
import { wakeDispatcher } from "./loops.ts";
import { pageOf, pageQuery } from "./paging.ts";
import { taskShape, time, uuid } from "./shapes.ts";
import { existingTask } from "./tasks.ts";

const tags = ["tasks"];
const params = z.object({ id: uuid });

const messageShape = z
  .object({
    id: z.number().int(),
    task: uuid,
    file: z.string().nullable(),
    line: z.number().int().nullable(),
    text: z.string(),
    at: time,
    run: uuid.nullable(),
    turn: z.number().int().nullable(),
    givenAt: time.nullable().openapi({ description: "when an agent had it; null: it waits for one" }),
  })
  .openapi("TaskMessage");

const newMessage = z.strictObject({ text: messageText }).openapi("NewTaskMessage");

const sent = z
  .object({
    became: z.enum(["message", "rework", "task"]).openapi({
      description:
        "a message to the agent at work, points for the next run, or a new task where its commit is on the branch",
    }),
    task: taskShape.openapi({ description: "the task that has it now" }),
  })
  .openapi("Sent");

const listRoute = createRoute({
  method: "get",
  path: "/tasks/{id}/messages",
  tags,
  summary: "What people said to its agents and of their work, oldest first",
  request: { params, query: pageQuery },
  responses: answers(pageOf(messageShape).openapi("TaskMessages"), "A page of them"),
});

const sendRoute = createRoute({
  method: "post",
  path: "/tasks/{id}/messages",
  tags,
  summary: "Says something to the agent that works on it; the same conversation goes on with it",
  request: { params, headers: idempotencyHeader, body: jsonBody(newMessage) },
  responses: creates(messageShape, "The message, which waits until the agent has it"),
});

const backRoute = createRoute({
  method: "post",
  path: "/tasks/{id}/send-back",
  tags,
  summary: "Sends its work back, with comments on lines of its diff",
  request: { params, headers: idempotencyHeader, body: jsonBody(sentBack) },
  responses: answers(sent, "What became of it"),
});

/** What people say to a task: to the agent at work, or of work that is there. */
export function taskWordsApi(parts: Parts) {
  const { place } = parts;
  return newApi()
    .openapi(listRoute, async (c) => {
      const { id } = await existingTask(parts, c.req.valid("param").id);
      return c.json(await listMessages(place.database, { task: id, ...c.req.valid("query") }), 200);
    })
    .openapi(sendRoute, async (c) => {
      const { id } = c.req.valid("param");
      const asked = c.req.valid("json");
      const said = await once(parts, c, asked, () => sendMessage(place, id, asked.text));
      wakeDispatcher(parts);
      return c.json(said, 201);
    })
    .openapi(backRoute, async (c) => {
      const { id } = c.req.valid("param");
      const asked = c.req.valid("json");
      const back = await once(parts, c, asked, () => sendBack(place, id, asked));
      wakeDispatcher(parts);
      return c.json(back, 200);
    });
}
