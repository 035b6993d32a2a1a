import { expect, it } from "vitest";
import { agentKinds } from "./agent.ts";
import { taskEdit } from "./task.ts";

it("a task has one of the agents that there are, or none of its own", () => {
  for (const agent of [...agentKinds, null]) expect(taskEdit.parse({ agent })).toEqual({ agent });
  expect(taskEdit.safeParse({ agent: "clod" }).success).toBe(false);
});
