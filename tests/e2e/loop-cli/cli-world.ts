import {
  answer,
  finish,
  type ScenarioChoice,
  silence,
  unauthorized,
  whenPrompt,
  writeFile,
} from "@opentiger/model-sim";
import { DispatcherClient } from "@opentiger/orchestrator";
import { ServerClient } from "../../../packages/server/src/control/index.ts";
import { atEnd } from "../../setup/at-end.ts";
import { type CommandLine, commandLine } from "../../setup/loop-command-line.ts";
import { type LoopWorld, loopWorld, playedBy, userRepository } from "../../setup/loop-world.ts";

/** Several runs of a real CLI, one after the other, beside other tests. */
export const timeoutMs = 240_000;

const judge: ScenarioChoice = whenPrompt(/^You are the judge/m, {
  steps: [answer({ judgement: "pass", summary: "It is as asked for.", points: [] })],
});

const plans: ScenarioChoice = whenPrompt(/^You are the planner/m, {
  steps: [
    answer({
      summary: "One file.",
      tasks: [
        {
          key: "one",
          title: "Write planned",
          role: "worker",
          instructions: "Write planned.txt.",
          needs: [],
          allowedPaths: ["planned.txt"],
          mayChange: [],
          verify: [],
          risk: "low",
          estimate: null,
        },
      ],
    }),
  ],
});

const writes: ScenarioChoice = ({ prompt }) => {
  const key = /Write (\w+)/.exec(prompt)?.[1];
  if (key === undefined) return undefined;
  if (key === "slowly") return { steps: [silence()] };
  if (key === "locked") return { steps: [unauthorized("forever")] };
  return { steps: [writeFile(`${key}.txt`, `${key}\n`), finish("It is written.")] };
};

export interface CliWorld {
  world: LoopWorld;
  opentiger: CommandLine;
}

/** An openTiger whose agents do as the words of a task say, and its command line. */
export async function cliWorld(): Promise<CliWorld> {
  const world = await loopWorld([judge, plans, writes]);
  await world.place.config.patch(playedBy("codex", "gpt-5.5"), "test");
  atEnd(() => new DispatcherClient(world.env).stop());
  atEnd(() => new ServerClient(world.env).stop());
  // Several test files run beside each other.
  return { world, opentiger: commandLine({ ...world.env, OPENTIGER_API_PORT: "0" }) };
}

export function project(): string {
  return userRepository({ "README.md": "empty\n", "opentiger.json": '{"verify":["test -f README.md"]}\n' });
}
