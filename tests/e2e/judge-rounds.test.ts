import { answer, finish, type ScenarioChoice, whenPrompt, writeFile } from "@opentiger/model-sim";
import { Dispatcher, listJudgements } from "@opentiger/orchestrator";
import { expect, test } from "vitest";
import { loopWorld, plannedTask, playedBy, userRepository } from "../setup/loop-world.ts";
import { soak } from "../setup/soak.ts";

const timeoutMs = 300_000;
const keys = ["one", "two", "three", "four", ...(soak ? ["five", "six"] : [])];

const judge: ScenarioChoice = whenPrompt(/^You are the judge/m, {
  steps: [answer({ judgement: "pass", summary: "It is as asked for.", points: [] })],
});

const writes: ScenarioChoice = ({ prompt }) => {
  const key = /Write (\w+)\n/.exec(prompt)?.[1];
  return key === undefined ? undefined : { steps: [writeFile(`${key}.txt`, `${key}\n`), finish("Written.")] };
};

test(
  "candidates that wait for each other are judged twice at most, and shown to the model once",
  async () => {
    const world = await loopWorld([judge, writes]);
    await world.place.config.patch({ ...playedBy("codex", "gpt-5.5"), OPENTIGER_MAX_JUDGES: 4 }, "test");
    const project = userRepository({ "check.sh": "true\n" });
    const dispatcher = Dispatcher.start(world.place);
    const loop = await world.start(
      project,
      keys.map((key) => plannedTask(key)),
      { project: { verify: [{ command: "sh check.sh" }] } },
    );
    expect(await world.ended(loop.id, timeoutMs)).toMatchObject({ state: "done" });
    await dispatcher.stop();

    const tasks = await world.tasks(loop.id);
    const rounds = await Promise.all(
      tasks.map(async ({ id }) => (await listJudgements(world.place.database, { task: id })).items.length),
    );
    expect(Math.max(...rounds)).toBeLessThanOrEqual(2);
    const asked = world.sim
      .sessions()
      .filter(({ prompts: [prompt = ""] }) => /^You are the judge/m.test(prompt));
    expect(asked).toHaveLength(keys.length);
  },
  timeoutMs + 60_000,
);
