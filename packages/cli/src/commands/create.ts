import type { Sandbox } from "@opentiger/sandbox";
import { creationCredentials } from "@opentiger/sandboxd";
import type { Command } from "commander";
import { coloursFor } from "../output/colours.ts";
import { progressOn } from "../output/progress.ts";
import { cancellable } from "../program/cancellation.ts";
import { createOptions, type MakeOptions, withMakeOptions } from "../program/create-options.ts";
import { chosenWay, credentialsFor } from "../program/credentials.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { backendOf, examples, printJson, verb } from "../program/verb.ts";

export function createCommand(surroundings: Surroundings): Command {
  return withMakeOptions(verb("create", surroundings))
    .description("create a sandbox for an agent, with a folder of yours in it")
    .argument("<agent>", "claude, codex, opencode, shell…")
    .argument("<workspace>", "folder to work in, at the same path inside")
    .argument("[extra...]", "more folders; PATH:ro is read-only")
    .addHelpText(
      "after",
      examples(
        surroundings,
        "create --name my-sandbox claude .",
        "create claude ~/project ~/docs:ro",
        "create --clone --memory 4g codex ~/project",
        "create --name fast-sandbox -t my-agent-template:v1 claude .",
      ),
    )
    .action(async (agent: string, workspace: string, extra: string[], options: MakeOptions) => {
      const sandbox = await makeSandbox(surroundings, agent, [workspace, ...extra], options);
      await sandbox.close();
      announce(sandbox, surroundings, options);
    });
}

/** Makes it while showing how far it is. Ctrl-C takes back what was made so far. */
export async function makeSandbox(
  surroundings: Surroundings,
  agent: string,
  workspaces: readonly string[],
  options: MakeOptions,
): Promise<Sandbox> {
  const wanted = createOptions(agent, workspaces, options);
  const way = chosenWay(surroundings);
  const backend = await backendOf(surroundings, options);
  const logins = backend.kind === "host" ? {} : creationCredentials(way, surroundings.env);
  const progress = progressOn(surroundings, options);
  try {
    const sandbox = await cancellable(surroundings.env, (signal) =>
      backend.create({ ...wanted, ...logins, signal, onProgress: (line) => progress.line(line) }),
    );
    progress.end();
    await credentialsFor(sandbox, way, surroundings);
    warnOfWeakness(sandbox, surroundings, options);
    return sandbox;
  } finally {
    progress.end();
  }
}

/** A promise that is weaker than usual is always said; in JSON it is a field. */
function warnOfWeakness({ weakness }: Sandbox, { stderr, env }: Surroundings, options: MakeOptions): void {
  if (weakness && !options.json) stderr.write(`${coloursFor(stderr, env).yellow("note:")} ${weakness}\n`);
}

function announce(sandbox: Sandbox, surroundings: Surroundings, options: MakeOptions): void {
  const { name, id, agent, backend, workspaceKind, workspaces, weakness } = sandbox;
  if (options.json) {
    return printJson(surroundings, {
      name,
      id,
      agent,
      backend,
      kind: workspaceKind,
      workspaces: workspaces.map(({ path }) => path),
      mounts: workspaces,
      weakness: weakness ?? null,
    });
  }
  const { stdout, env, invocation } = surroundings;
  if (options.quiet || !stdout.isTTY) return void stdout.write(`${name}\n`);
  const colours = coloursFor(stdout, env);
  const folders = workspaces.map(({ path, readOnly }) => path + (readOnly ? " (read-only)" : ""));
  stdout.write(
    `${colours.green("✓")} Created sandbox ${colours.bold(name)}\n` +
      `  Workspace: ${folders.join(", ")}${workspaceKind === "clone" ? " (private clone)" : ""}\n` +
      `  Agent: ${agent}\n\nWork in it:\n  ${invocation} run ${name}\n`,
  );
}
