import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { answer, editFile, finish, type ScenarioChoice, whenPrompt, writeFile } from "@opentiger/model-sim";
import { Dispatcher } from "@opentiger/orchestrator";
import type { ExecutionEnvironment } from "@opentiger/schema";
import { beforeAll, describe, expect, test } from "vitest";
import { checkoutHash } from "../../scripts/demo/sample-project.ts";
import { type LoopWorld, loopWorld, plannedTask, playedBy, userRepository } from "../setup/loop-world.ts";
import { temporaryFolder } from "../setup/temporary-workspace.ts";
import { until } from "../setup/until.ts";

const timeoutMs = 240_000;

const judge: ScenarioChoice = whenPrompt(/^You are the judge/m, {
  steps: [answer({ judgement: "pass", summary: "It is as asked for.", points: [] })],
});

const writes: ScenarioChoice = ({ prompt }) => {
  const key = /Write (\w+)\n/.exec(prompt)?.[1];
  return key === undefined
    ? undefined
    : { steps: [writeFile(`${key}.txt`, `${key}\n`), finish("It is written.")] };
};

const documents = whenPrompt("# Say so", {
  steps: [editFile("README.md", "empty", "full"), finish("It is said.")],
});

const environments = [
  ["sandbox", playedBy("claude_code", "claude-sonnet-4-5")],
  ["host", playedBy("codex", "gpt-5.5")],
] as const;

let world: LoopWorld;

beforeAll(async () => {
  world = await loopWorld([judge, documents, writes]);
});

describe.each(environments)("A5 a loop in the environment %s", (environment, agents) => {
  test(
    "becomes a branch of judged commits, and the checkout stays as it is",
    async () => {
      await world.place.config.patch(agents, "test");
      const project = userRepository({ "README.md": "empty\n", "check.sh": "test -f README.md\n" });
      const before = checkoutHash(project);
      const executed = join(temporaryFolder("ot-"), "executed");
      const title = `Say so $(touch ${executed}) \`touch ${executed}\` '; touch ${executed} #" | touch ${executed}`;
      const dispatcher = Dispatcher.start(world.place);
      const loop = await world.start(
        project,
        [
          plannedTask("one"),
          plannedTask("two"),
          plannedTask("readme", {
            title,
            role: "docser",
            needs: ["one", "two"],
            allowedPaths: ["README.md"],
          }),
        ],
        { environment, project: { verify: [{ command: "sh check.sh" }] } },
      );
      const ended = await world.ended(loop.id, timeoutMs);

      expect(ended).toMatchObject({ state: "done", detail: null });
      expect(await world.tasks(loop.id)).toMatchObject([
        { state: "done", detail: null },
        { state: "done", detail: null },
        { state: "done", detail: null },
      ]);
      expect(ended.summary).toMatchObject({ done: 3, failed: 0, commits: 3 });
      expect(subjects(project, loop.id).toSorted()).toEqual([title, "Write one", "Write two"]);
      expect(subjects(project, loop.id)[0]).toBe(title);
      expect(existsSync(executed), "what stands in a title is not executed").toBe(false);
      expect(checkoutHash(project)).toBe(before);
      expect(world.sim.problems).toEqual([]);
      await sandboxesAreGone(world, environment);
      await dispatcher.stop();
    },
    timeoutMs + 60_000,
  );
});

function subjects(project: string, loop: string): string[] {
  const words = ["-C", project, "log", "--format=%s", `main..tiger/${loop}`];
  return execFileSync("git", words, { encoding: "utf8" }).trim().split("\n");
}

async function sandboxesAreGone({ place }: LoopWorld, environment: ExecutionEnvironment): Promise<void> {
  const backend = await place.backend(environment);
  await until("B6 the loop's sandboxes are gone", async () => {
    const left = (await backend.list({ parked: "shown" })).filter(({ own }) => own);
    return left.length === 0;
  });
}
