import { resolve } from "node:path";
import { type Backend, type Sandbox, SandboxError, templates } from "@opentiger/sandbox";
import { withCredentials } from "@opentiger/sandboxd";
import type { Command } from "commander";
import { UsageError } from "../errors.ts";
import { runAtTerminal, sharesTerminal } from "../exec/host-terminal.ts";
import { relayAsJson } from "../exec/json-relay.ts";
import { relay } from "../exec/relay.ts";
import { ownSize, relayTerminal } from "../exec/terminal.ts";
import { coloursFor } from "../output/colours.ts";
import { reportError } from "../output/error-report.ts";
import {
  isAgent,
  type MakeOptions,
  readWorkspace,
  unusedOptions,
  withMakeOptions,
} from "../program/create-options.ts";
import { DashedCommand } from "../program/dashed-command.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { audienceOf, backendOf, examples, verb } from "../program/verb.ts";
import { makeSandbox } from "./create.ts";
import { withAttachRemedy } from "./exec.ts";

interface RunOptions extends MakeOptions {
  rm?: true;
}

export function runCommand(surroundings: Surroundings): Command {
  const command = new DashedCommand("run");
  return withMakeOptions(verb("run", surroundings, () => command))
    .description("start an agent in a sandbox, which is made if need be")
    .usage("[OPTIONS] SANDBOX [-- ARGS...]\n       run [OPTIONS] AGENT [WORKSPACE] [EXTRA...] [-- ARGS...]")
    .argument("<sandbox-or-agent>", "a sandbox, or an agent to run on a workspace")
    .argument("[workspace...]", "folders (default: this one)")
    .option("--rm", "remove the sandbox afterwards, if this run made it")
    .addHelpText(
      "after",
      examples(
        surroundings,
        "run claude",
        "run claude ~/project -- --continue",
        "run my-sandbox",
        "run --rm shell . -- -c 'npm test'",
      ),
    )
    .action(async (first: string, workspaces: string[], options: RunOptions) => {
      surroundings.exitWith(
        await run({ first, workspaces, args: command.afterDashes }, surroundings, options),
      );
    });
}

interface RunWords {
  first: string;
  workspaces: readonly string[];
  args: readonly string[];
}

async function run(words: RunWords, surroundings: Surroundings, options: RunOptions): Promise<number> {
  const backend = await backendOf(surroundings, options);
  const { sandbox, made } = await findOrMake(backend, words, surroundings, options);
  try {
    return await startAgent(sandbox, words.args, surroundings, options);
  } finally {
    await sandbox.close();
    if (made && options.rm) await removeAfterwards(backend, sandbox.name, surroundings, options);
  }
}

async function findOrMake(
  backend: Backend,
  words: RunWords,
  surroundings: Surroundings,
  options: RunOptions,
) {
  if (!isAgent(words.first)) {
    if (words.workspaces.length > 0)
      throw new UsageError(`"${words.first}" is not an agent, so no workspace can follow`);
    return { sandbox: await reopened(backend, words.first, surroundings, options), made: false };
  }
  const workspaces = words.workspaces.length > 0 ? words.workspaces : ["."];
  const known = await findSandbox(backend, words.first, workspaces, surroundings, options);
  if (known) return { sandbox: await reopened(backend, known, surroundings, options), made: false };
  return { sandbox: await makeSandbox(surroundings, words.first, workspaces, options), made: true };
}

/** What would have made it otherwise is not done to one that is there, and that is said. */
async function reopened(
  backend: Backend,
  name: string,
  { stderr, env }: Surroundings,
  options: RunOptions,
): Promise<Sandbox> {
  const sandbox = await backend.open(name);
  const unused = unusedOptions(options, sandbox);
  if (unused.length === 0) return sandbox;
  const warning = `${name} was there already and stays as it was made; not applied: ${unused.join(", ")}`;
  const remedy = `Choose another --name, or remove it first: docker sandbox rm ${name}`;
  if (options.json) stderr.write(`${JSON.stringify({ warning, remedy })}\n`);
  else stderr.write(`${coloursFor(stderr, env).yellow("note:")} ${warning}\n  → ${remedy}\n`);
  return sandbox;
}

/** The sandbox of that agent on that workspace; with `--name`, the one of that name. */
async function findSandbox(
  backend: Backend,
  agent: string,
  workspaces: readonly string[],
  { cwd }: Surroundings,
  options: RunOptions,
): Promise<string | undefined> {
  const path = resolve(cwd, readWorkspace(workspaces[0] ?? ".").path);
  const kind = options.clone ? "clone" : "direct";
  const own = (await backend.list()).filter((sandbox) => sandbox.own);
  const named = own.find(({ name }) => name === options.name);
  if (named) return usable(named, agent, path);
  if (options.name !== undefined) return undefined;
  return own.find(
    (each) => each.agent === agent && each.workspaceKind === kind && each.workspaces[0]?.path === path,
  )?.name;
}

function usable(
  found: { name: string; agent: string; workspaces: { path: string }[] },
  agent: string,
  path: string,
): string {
  if (found.agent === agent && found.workspaces[0]?.path === path) return found.name;
  throw new SandboxError(
    "already_exists",
    `${found.name} is a sandbox for ${found.agent} on ${found.workspaces[0]?.path}`,
    {
      remedy: `Use it as it is (run ${found.name}), or choose another --name.`,
    },
  );
}

/** On a terminal when we have one; for machines, or without one, with plain pipes: `echo question | run …` works. */
async function startAgent(
  sandbox: Sandbox,
  args: readonly string[],
  surroundings: Surroundings,
  { json }: RunOptions,
): Promise<number> {
  const { env, stdin, stdout } = surroundings;
  const template = isAgent(sandbox.agent) ? templates[sandbox.agent] : templates.shell;
  const command = [...template.start, ...args];
  const environment = await withCredentials(sandbox, startEnvironment, env);
  if (!json && sharesTerminal(sandbox, surroundings))
    return runAtTerminal(sandbox, command, env, { env: environment, stdin: "inherit" });
  if (!json && stdin.isTTY && stdout.isTTY) {
    const terminal = await sandbox.terminal(command, { env: environment, ...ownSize() });
    return relayTerminal(terminal, { stdin: true, keys: undefined, env });
  }
  const execution = await sandbox.exec(command, { env: environment, stdin: true });
  const follow = json ? relayAsJson : relay;
  return follow(execution, { stdin: true, env }).catch((error: unknown) => {
    throw withAttachRemedy(error, sandbox.name, execution.id);
  });
}

/** Lets Claude Code work without asking where the workspace, and so the command, is root's. */
const startEnvironment = { IS_SANDBOX: "1" };

/** The agent's status is what the caller asked for: a removal that fails is said, and does not replace it. */
async function removeAfterwards(
  backend: Backend,
  name: string,
  surroundings: Surroundings,
  options: RunOptions,
) {
  try {
    await backend.remove(name);
  } catch (error) {
    reportError(error, audienceOf(surroundings, options), { name });
  }
}
