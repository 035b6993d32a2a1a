import { checkLogin } from "@opentiger/agents";
import { databaseUrl, EmbeddedPostgres } from "@opentiger/orchestrator";
import { hostModeForced, SandboxError } from "@opentiger/sandbox";
import {
  configKeys,
  type ExecutionEnvironment,
  executionEnvironments,
  type LoginAgent,
  type LoginStatus,
  loginAgents,
} from "@opentiger/schema";
import { Argument, type Command, Option } from "commander";
import { UsageError } from "../errors.ts";
import { withPlace } from "../loop/place.ts";
import { coloursFor } from "../output/colours.ts";
import { renderTable } from "../output/table.ts";
import { cancellable } from "../program/cancellation.ts";
import { exits } from "../program/exits.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { inContext, printJson, type VerbOptions, verb } from "../program/verb.ts";

interface AgentAuthOptions extends VerbOptions {
  environment?: ExecutionEnvironment;
  deep?: true;
}

export function agentAuthCommand(surroundings: Surroundings): Command {
  return verb("auth", surroundings)
    .description(
      "whether agents could be used: their CLIs, the engine and image, and whether their login is good",
    )
    .addArgument(new Argument("[agent]", "one of them; default: all").choices(loginAgents))
    .addOption(
      new Option(
        "--environment <where>",
        "where it would run; default: EXECUTION_ENVIRONMENT, or sandbox",
      ).choices(executionEnvironments),
    )
    .option("--deep", "ask the model once through the agent, which costs a few tokens")
    .addHelpText("after", "\nExamples:\n  opentiger auth\n  opentiger auth --environment host claude")
    .action(async (agent: LoginAgent | undefined, options: AgentAuthOptions) => {
      const environment = options.environment ?? (await usualEnvironment(surroundings, options));
      const env = inContext(surroundings, options);
      const statuses = await cancellable(surroundings.env, (signal) =>
        Promise.all(
          (agent ? [agent] : loginAgents).map((each) =>
            checkLogin(each, environment, { env, signal, deep: options.deep ?? false }),
          ),
        ).catch((error: unknown) => {
          throw signal.aborted ? new SandboxError("cancelled", "cancelled") : error;
        }),
      );
      if (options.json) printJson(surroundings, statuses);
      else surroundings.stdout.write(render(statuses, surroundings));
      if (agent && statuses.some(({ authenticated }) => authenticated !== true))
        surroundings.exitWith(exits.negative);
    });
}

/** The one in force: what is stored, too. To look makes no database, and without one nothing is stored. */
async function usualEnvironment(
  surroundings: Surroundings,
  options: AgentAuthOptions,
): Promise<ExecutionEnvironment> {
  const { env } = surroundings;
  if (hostModeForced(env)) return "host";
  const { read, fallback, expects } = configKeys.EXECUTION_ENVIRONMENT;
  const told = env["EXECUTION_ENVIRONMENT"];
  const known = told ? read(told) : undefined;
  if (known) return known.value;
  if (told) throw new UsageError(`EXECUTION_ENVIRONMENT=${told} is not an environment`, `Use ${expects}.`);
  const hasDatabase = databaseUrl(env) || (await new EmbeddedPostgres(env).status()).state !== "none";
  if (!hasDatabase) return fallback.value;
  return withPlace(surroundings, options, async ({ config }) => config.get("EXECUTION_ENVIRONMENT"));
}

const words = new Map<boolean | null, string>([
  [true, "yes"],
  [false, "no"],
  [null, "unknown"],
]);

function render(statuses: readonly LoginStatus[], { stdout, env }: Surroundings): string {
  const colours = coloursFor(stdout, env);
  const rows = statuses.map(({ agent, executionEnvironment, available, authenticated, method, version }) => [
    agent,
    executionEnvironment,
    words.get(available) ?? "",
    words.get(authenticated) ?? "",
    method ?? "-",
    version ?? "-",
  ]);
  const problems = statuses.flatMap(({ agent, problem }) =>
    problem
      ? [`\n${agent}: ${problem.message} (${problem.code})\n  ${colours.cyan("→")} ${problem.remedy}\n`]
      : [],
  );
  const head = ["AGENT", "WHERE", "AVAILABLE", "LOGGED IN", "WITH", "VERSION"];
  return renderTable([head, ...rows]) + problems.join("");
}
