import type { TaskEdit } from "@opentiger/schema";
import { queryOptions } from "@tanstack/react-query";
import { allPages } from "./all-pages.ts";
import { ask, part } from "./ask.ts";
import type { Judgement, Run, Sent, SentBack, Task, TaskMessage } from "./types.ts";

export type TaskVerb = "retry" | "cancel" | "pause" | "resume";

export const taskQuery = (id: string) =>
  queryOptions({
    queryKey: ["task", id],
    queryFn: ({ signal }) => ask<Task>("GET", `/tasks/${part(id)}`, { signal }),
  });

export const taskRunsQuery = (id: string) =>
  queryOptions({
    queryKey: ["task", id, "runs"],
    queryFn: ({ signal }) => allPages<Run>(`/tasks/${part(id)}/runs`, { signal }),
  });

export const taskJudgementsQuery = (id: string) =>
  queryOptions({
    queryKey: ["task", id, "judgements"],
    queryFn: ({ signal }) => allPages<Judgement>(`/tasks/${part(id)}/judgements`, { signal }),
  });

export function moveTask(id: string, verb: TaskVerb): Promise<Task> {
  return ask<Task>("POST", `/tasks/${part(id)}/${verb}`);
}

export function editTask(id: string, fields: TaskEdit): Promise<Task> {
  return ask<Task>("PATCH", `/tasks/${part(id)}`, { body: fields });
}

export const taskMessagesQuery = (id: string) =>
  queryOptions({
    queryKey: ["task", id, "messages"],
    queryFn: ({ signal }) => allPages<TaskMessage>(`/tasks/${part(id)}/messages`, { signal }),
  });

/** The key is of what was written: pressed twice, it is said once. */
export function sendMessage(id: string, text: string, key: string): Promise<TaskMessage> {
  return ask<TaskMessage>("POST", `/tasks/${part(id)}/messages`, { body: { text }, key });
}

export function sendBack(id: string, body: SentBack, key: string): Promise<Sent> {
  return ask<Sent>("POST", `/tasks/${part(id)}/send-back`, { body, key });
}
