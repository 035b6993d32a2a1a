import { expect, test } from "vitest";
import { choicesOf, scenarioSchema, scriptSchema } from "./scenario.ts";
import * as steps from "./steps.ts";

const opening = { session: "s", agent: "other", model: "m", system: "", tools: [] } as const;

test("what the functions make is the data that JSON gives", () => {
  const said = [steps.say("a"), steps.think(5), steps.pause(5), steps.answer({ a: 1 }), steps.finish()];
  const files = [steps.readFile("a"), steps.writeFile("a", "b"), steps.editFile("a", "b", "c")];
  const commands = [steps.runCommand("a"), steps.endlessToolLoop("a")];
  const statuses = [steps.rateLimit({ resetSeconds: 5 }), steps.unauthorized(), steps.serverError(2)];
  const others = [steps.overloaded("forever"), steps.contextTooLong(), steps.cutStream(), steps.garbage()];
  const last = [steps.silence(5), steps.silence(), steps.refusal(), steps.proseInsteadOfAnswer()];
  const made = [...said, ...files, ...commands, ...statuses, ...others, ...last];
  expect(scenarioSchema.parse(JSON.parse(JSON.stringify({ steps: made })))).toEqual({ steps: made });
});

test("defaults are filled in", () => {
  const read = scenarioSchema.parse({
    steps: [{ do: "finish" }, { do: "rateLimit" }, { do: "endlessToolLoop", command: "ls" }],
  });
  expect(read.steps).toEqual([
    { do: "finish", text: "Done." },
    { do: "rateLimit", times: 1 },
    { do: "endlessToolLoop", command: "ls", times: "forever" },
  ]);
});

test.each([
  { do: "fly" },
  { do: "say" },
  { do: "think", ms: -1 },
  { do: "serverError", times: 0 },
  { do: "runCommand", command: "" },
])("%o is no step", (step) => {
  expect(scenarioSchema.safeParse({ steps: [step] }).success).toBe(false);
});

test("a file may have one scenario for all, or several by the words of the prompt", () => {
  const one = choicesOf(scriptSchema.parse({ steps: [{ do: "say", text: "one" }] }));
  expect(one[0]?.({ ...opening, prompt: "anything" })).toMatchObject({ steps: [{ text: "one" }] });
  const sessions = [
    { when: "planner", steps: [{ do: "say", text: "a plan" }] },
    { steps: [{ do: "say", text: "work" }] },
  ];
  const several = choicesOf(scriptSchema.parse({ sessions }));
  const chosen = (prompt: string) =>
    several.map((choice) => choice({ ...opening, prompt })).find((each) => each);
  expect(chosen("You are the planner.")).toMatchObject({ steps: [{ text: "a plan" }] });
  expect(chosen("Do it.")).toMatchObject({ steps: [{ text: "work" }] });
});
