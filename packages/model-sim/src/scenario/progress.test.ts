import { expect, test } from "vitest";
import type { Item } from "../conversation/item.ts";
import { callId } from "./call-id.ts";
import { progressOf } from "./progress.ts";
import { answer, finish, runCommand, say } from "./steps.ts";

const user = (text: string): Item => ({ kind: "user", text });
const assistant = (text: string): Item => ({ kind: "assistant", text });
const call = (step: number, number = 0): Item => ({
  kind: "call",
  id: callId("s", { step, call: number }),
  name: "Bash",
  input: "{}",
});
const result = (step: number, number = 0): Item => ({
  kind: "result",
  id: callId("s", { step, call: number }),
  text: "ok",
  error: false,
});

const scenario = {
  steps: [say("Hm."), runCommand("a"), finish("One."), say("So."), runCommand("b"), finish("Two.")],
};
const stepAfter = (...items: Item[]) => progressOf(scenario, items).step;

test("a conversation that only began is at the first step", () => {
  expect(stepAfter(user("go"))).toBe(0);
});

test("the last tool call tells the step, and the calls that were made for it", () => {
  const { step, calls } = progressOf(scenario, [
    user("go"),
    assistant("Hm."),
    call(1),
    result(1),
    call(1, 1),
    result(1, 1),
  ]);
  expect({ step, calls: calls.length }).toEqual({ step: 1, calls: 2 });
});

test("the end of a turn is known by its words, whatever white space a CLI left", () => {
  expect(stepAfter(user("go"), call(1), result(1), assistant(" One.\n"), user("more"))).toBe(3);
});

test("half a reply, or one that a CLI made up, is no end of a turn", () => {
  expect(stepAfter(user("go"), call(1), result(1), assistant("On"), user("more"))).toBe(1);
  expect(
    stepAfter(
      user("go"),
      call(1),
      result(1),
      user("Continue."),
      assistant("No response requested."),
      user("more"),
    ),
  ).toBe(1);
});

test("a call of somebody else's is none of the scenario's", () => {
  const foreign: Item = { kind: "call", id: "toolu_1", name: "Bash", input: "{}" };
  expect(stepAfter(user("go"), foreign)).toBe(0);
});

test("an answer that was made from a schema ends a turn too", () => {
  const made = { steps: [answer(), finish("Two.")] };
  expect(progressOf(made, [user("go"), assistant('{ "pass": true }'), user("more")]).step).toBe(1);
  expect(progressOf(made, [user("go"), assistant("no form"), user("more")]).step).toBe(0);
});
