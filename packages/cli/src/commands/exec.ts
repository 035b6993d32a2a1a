import { type Execution, type Sandbox, SandboxError } from "@opentiger/sandbox";
import { withCredentials, withHostServices } from "@opentiger/sandboxd";
import type { Command } from "commander";
import { runAtTerminal, sharesTerminal } from "../exec/host-terminal.ts";
import { relayAsJson } from "../exec/json-relay.ts";
import { attachRemedy } from "../exec/lean.ts";
import { type ExecOption, execOptions } from "../exec/option-table.ts";
import { type ParsedExec, parseExec } from "../exec/options.ts";
import { relay } from "../exec/relay.ts";
import { type ExecRequest, execRequest, last } from "../exec/request.ts";
import { ownSize, refuseOnTerminal, refuseWithoutTerminal, relayTerminal } from "../exec/terminal.ts";
import { RawCommand } from "../program/raw-command.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { examples, printJson, quiet } from "../program/verb.ts";

export function execCommand(surroundings: Surroundings): Command {
  const command = quiet(new RawCommand("exec"), surroundings)
    .description("run a command in a sandbox")
    .usage("[OPTIONS] SANDBOX COMMAND [ARG...]")
    .argument("[words...]")
    .helpOption(false)
    .addHelpText(
      "after",
      examples(
        surroundings,
        "exec my-sandbox git status",
        "exec -it my-sandbox bash",
        "exec -e CLAUDE_CODE_OAUTH_TOKEN -w ~/project my-sandbox claude -p 'fix the test'",
        "exec -i my-sandbox sh -c 'cat > notes.txt' < notes.txt",
      ),
    )
    .action(async (words: string[]) => {
      const parsed = parseExec(words);
      if (parsed.flags.has("help")) return command.outputHelp();
      surroundings.exitWith(await exec(parsed, surroundings));
    });
  for (const option of execOptions) command.option(flagsOf(option), option.description);
  return command;
}

async function exec(parsed: ParsedExec, surroundings: Surroundings): Promise<number> {
  if (parsed.flags.has("privileged")) throw privileged();
  const request = execRequest(parsed, surroundings.env);
  refuseOnTerminal(parsed);
  if (parsed.flags.has("tty") && parsed.flags.has("interactive")) refuseWithoutTerminal(surroundings.stdin);
  const backend = await surroundings.connect(last(parsed, "context") ?? surroundings.context);
  const sandbox = await backend.open(request.sandbox);
  try {
    return await execIn(sandbox, request, parsed, surroundings);
  } finally {
    await sandbox.close();
  }
}

async function execIn(
  sandbox: Sandbox,
  request: ExecRequest,
  parsed: ParsedExec,
  surroundings: Surroundings,
) {
  const { command, detach, stdin, env = {}, ...rest } = request.spec;
  const reachable = await withHostServices(sandbox, env, surroundings.env);
  const options = { ...rest, env: await withCredentials(sandbox, reachable, surroundings.env) };
  const json = parsed.flags.has("json");
  if (parsed.flags.has("tty") && sharesTerminal(sandbox, surroundings)) {
    if (rest.user !== undefined) throw onlyYou();
    const place = { cwd: rest.cwd, env: options.env, stdin: stdin ? "inherit" : "ignore" } as const;
    return runAtTerminal(sandbox, command, surroundings.env, place);
  }
  if (parsed.flags.has("tty")) {
    const terminal = await sandbox.terminal(command, { ...options, ...ownSize() });
    return relayTerminal(terminal, {
      stdin: stdin === true,
      keys: last(parsed, "detach-keys"),
      env: surroundings.env,
    });
  }
  const execution = await sandbox.exec(command, {
    ...options,
    stdin: stdin === true,
    detach: detach === true,
  });
  if (detach) return letGo(execution, json, surroundings);
  const follow = json ? relayAsJson : relay;
  return follow(execution, { stdin: stdin === true, env: surroundings.env }).catch((error: unknown) => {
    throw withAttachRemedy(error, sandbox.name, execution.id);
  });
}

function letGo(execution: Execution, json: boolean, surroundings: Surroundings): number {
  execution.detach();
  if (json) printJson(surroundings, { id: execution.id });
  return 0;
}

export function withAttachRemedy(error: unknown, name: string, id: string): unknown {
  if (!(error instanceof SandboxError) || error.code !== "session_lost") return error;
  return new SandboxError(error.code, error.message, { remedy: attachRemedy(name, id), cause: error });
}

function privileged(): SandboxError {
  return new SandboxError("unsupported", "--privileged is refused: a sandbox has no privileges to hand out", {
    remedy: "Leave it out. What needs root belongs into a template: docker sandbox create -t IMAGE",
  });
}

function onlyYou(): SandboxError {
  return new SandboxError("unsupported", "host mode runs every command as you: leave out -u");
}

function flagsOf({ long, short, value }: ExecOption): string {
  return `${short ? `-${short}, ` : ""}--${long}${value ? ` <${value}>` : ""}`;
}
