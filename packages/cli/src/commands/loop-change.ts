import {
  approveLoop,
  cancelLoop,
  editPlan,
  ensureDispatcher,
  type LoopRow,
  type OpenPlace,
  pauseLoop,
  resumeLoop,
  retryLoop,
} from "@opentiger/orchestrator";
import type { Command } from "commander";
import { audited } from "../loop/audited.ts";
import { loopNamed } from "../loop/find.ts";
import { parseDollars, parseTokens } from "../loop/numbers.ts";
import { type LoopVerbOptions, loopExamples, loopVerb, withPlace } from "../loop/place.ts";
import { readPlan } from "../loop/plan-file.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { printJson } from "../program/verb.ts";

interface BudgetOptions extends LoopVerbOptions {
  budgetUsd?: number;
  budgetTokens?: number;
}

interface ApproveOptions extends LoopVerbOptions {
  plan?: string;
}

interface EditOptions extends ApproveOptions {
  file: string;
}

export function loopChangeCommands(surroundings: Surroundings): Command[] {
  return [
    approveCommand(),
    editCommand(),
    simple("pause", "begin nothing more; what runs goes on to its end", ({ database }, id) =>
      pauseLoop(database, id),
    ),
    withBudget("resume", "go on with one that was paused", resumeLoop),
    simple("cancel", "end it and all that it runs; what is on its branch stays", ({ database }, id) =>
      cancelLoop(database, id),
    ),
    withBudget("retry", "try again what has failed", retryLoop),
  ];

  function simple(
    name: string,
    about: string,
    act: (place: OpenPlace, id: string) => Promise<LoopRow>,
  ): Command {
    return named(name, about)
      .addHelpText("after", loopExamples(`loop ${name} k3v9x0ab`))
      .action((loop: string, options: LoopVerbOptions) => changed(name, loop, options, act));
  }

  function withBudget(name: string, about: string, act: typeof resumeLoop): Command {
    return named(name, about)
      .option("--budget-usd <amount>", "what it may cost in all from now on", parseDollars)
      .option("--budget-tokens <number>", "what it may use in all from now on", parseTokens)
      .addHelpText("after", loopExamples(`loop ${name} k3v9x0ab`, `loop ${name} k3v9x0ab --budget-usd 10`))
      .action((loop: string, options: BudgetOptions) => {
        const { budgetUsd: usd, budgetTokens: tokens } = options;
        const more = usd === undefined && tokens === undefined ? {} : { budget: { usd, tokens } };
        return changed(name, loop, options, (place, id) => act(place, id, more));
      });
  }

  function approveCommand(): Command {
    return named("approve", "let a plan that waits for you run")
      .option("--plan <version>", "only if it is still the one that you saw, as `loop show` names it")
      .addHelpText("after", loopExamples("loop approve k3v9x0ab --plan 0f3a9c51be77"))
      .action((loop: string, options: ApproveOptions) =>
        changed("approve", loop, options, ({ database }, id) =>
          approveLoop(database, id, { seen: options.plan }),
        ),
      );
  }

  function editCommand(): Command {
    return named("edit", "put another plan in the place of one that waits for you")
      .requiredOption(
        "-f, --file <file>",
        "the plan, as `loop show --json` has it under `plan`, or stories; - is stdin",
      )
      .option("--plan <version>", "only if it is still the one that you saw, as `loop show` names it")
      .addHelpText(
        "after",
        loopExamples("loop edit k3v9x0ab -f plan.json --plan 0f3a9c51be77", "loop edit k3v9x0ab -f -"),
      )
      .action(async (loop: string, options: EditOptions) => {
        const plan = await readPlan(options.file, surroundings.cwd);
        await changed("edit", loop, options, (place, id) =>
          editPlan(place, id, plan, { seen: options.plan }),
        );
      });
  }

  function named(name: string, about: string): Command {
    return loopVerb(name, surroundings)
      .description(about)
      .argument("<loop>", "its id, or the beginning of it");
  }

  /** Whatever was changed, somebody has to act on it. */
  async function changed(
    verb: string,
    name: string,
    options: LoopVerbOptions,
    act: (place: OpenPlace, id: string) => Promise<LoopRow>,
  ): Promise<void> {
    await withPlace(surroundings, options, async (place) => {
      const { id } = await loopNamed(place.database, name);
      const about = { action: `loop ${verb}`, target: id };
      const loop = await audited(place.database, about, () => act(place, id));
      await ensureDispatcher(place.env);
      if (options.json) printJson(surroundings, loop);
      else surroundings.stdout.write(`loop ${id} is ${loop.state}\n`);
    });
  }
}
