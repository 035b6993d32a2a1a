import { resolve } from "node:path";
import { startLoop } from "@opentiger/orchestrator";
import { agentKinds, projectNetworks } from "@opentiger/schema";
import { type Command, Option } from "commander";
import { audited } from "../loop/audited.ts";
import { checkEngine } from "../loop/engine-check.ts";
import { Interrupted } from "../loop/interrupted.ts";
import { parseDollars, parseTokens } from "../loop/numbers.ts";
import { plainly } from "../loop/output.ts";
import { type LoopVerbOptions, loopExamples, loopVerb, withPlace } from "../loop/place.ts";
import { readRequirement } from "../loop/requirement.ts";
import { environmentOf, type SettingsOptions, settingsOf } from "../loop/settings.ts";
import { topOfCheckout } from "../loop/top-of-checkout.ts";
import { watchLoop } from "../loop/watch.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { printJson } from "../program/verb.ts";
import { bringUp } from "../server/bring-up.ts";
import { runLogsCommand } from "./run-logs.ts";

interface RunLoopOptions extends LoopVerbOptions, SettingsOptions {
  repo: string;
  file?: string;
  single?: true;
  mayChange?: string[];
  detach?: true;
}

export function runLoopCommand(surroundings: Surroundings): Command {
  return loopVerb("run", surroundings)
    .enablePositionalOptions()
    .addCommand(runLogsCommand(surroundings))
    .description("turn a requirement into a branch of judged commits")
    .argument("[requirement...]", "what is wanted, in prose")
    .option("--repo <path>", "the repository; your checkout is not touched", ".")
    .option(
      "-f, --file <file>",
      "read stories (JSON, YAML, Markdown checklist) or prose from there; - is stdin",
    )
    .option("--single", "the requirement is one task: nobody plans")
    .option(
      "--may-change <glob...>",
      "with --single: tests and protected files (package scripts, CI) that it is meant to change",
    )
    .option("--dry-run", "only plan")
    .option("--approve", "wait for `opentiger loop approve` before the plan runs")
    .option("--sandbox", "run agents in sandboxes, whatever is configured")
    .option("--host", "run agents on this machine itself, with nothing isolated")
    .addOption(new Option("--agent <agent>", "for every role").choices(agentKinds))
    .option("--model <model>", "for every role, as the agent's CLI calls it")
    .option("--budget-usd <amount>", "what the loop may cost; beyond it, it is paused", parseDollars)
    .option("--budget-tokens <number>", "what it may use", parseTokens)
    .addOption(
      new Option(
        "--project-network <answer>",
        "what opentiger.json asks of the network beyond your settings: give it, or withhold it",
      ).choices(projectNetworks),
    )
    .option("-d, --detach", "do not wait for its end")
    .addHelpText(
      "after",
      loopExamples(
        'run "add a --json flag to the list command"',
        "run -f stories.md --repo ~/project",
        'run --single --agent codex --budget-usd 5 "fix the flaky test in src/queue"',
        'run --dry-run "replace the date library"',
        'run --single "measure coverage in npm test" --may-change package.json',
      ),
    )
    .action(async (words: string[], options: RunLoopOptions) => {
      surroundings.exitWith(await run(words, options, surroundings));
    });
}

async function run(
  words: readonly string[],
  options: RunLoopOptions,
  surroundings: Surroundings,
): Promise<number> {
  const { cwd } = surroundings;
  const { file, single = false, mayChange } = options;
  environmentOf(options);
  const wanted = await readRequirement({ words, file, single, mayChange, cwd });
  const path = await topOfCheckout(resolve(cwd, options.repo));
  return withPlace(surroundings, options, async (place) => {
    const settings = settingsOf(options, place.config);
    await checkEngine(place, settings.environment ?? place.config.get("EXECUTION_ENVIRONMENT"));
    // From here on there may be a loop: Ctrl-C leaves or cancels it, and does not just end us.
    const interrupted = new Interrupted();
    try {
      const { id } = await audited(place.database, { action: "run", target: path }, () =>
        startLoop(place, { repository: { path }, ...wanted, settings }),
      );
      const begin = () => pageOf(id, options, { ...surroundings, env: place.env });
      if (options.detach) return detached(id, await begin(), options, surroundings);
      return await watchLoop(place, id, surroundings, { ...options, begin, interrupted });
    } finally {
      interrupted.close();
    }
  });
}

/** Brings up who works on the loop. Returns its page. */
async function pageOf(
  id: string,
  { json, detach }: RunLoopOptions,
  surroundings: Surroundings,
): Promise<string | undefined> {
  const url = await bringUp(surroundings, json ? { json } : {}).catch((error: unknown) => {
    const back = `opentiger loop events -f ${id}`;
    plainly(surroundings, { json }).notice(
      { waits: id },
      `the loop is there, and waits; go on with it: ${back}`,
    );
    throw error;
  });
  const page = url && `${url}/loops/${id}`;
  if (page && !json && !detach) surroundings.stdout.write(`dashboard: ${page}\n`);
  return page;
}

function detached(
  id: string,
  page: string | undefined,
  { json }: RunLoopOptions,
  surroundings: Surroundings,
): number {
  if (json) printJson(surroundings, { loop: id, branch: `tiger/${id}`, dashboard: page ?? null });
  else surroundings.stdout.write(`${id}\n`);
  return 0;
}
