import { type Backend, type FetchResult, fetchCommits, type Sandbox, SandboxError } from "@opentiger/sandbox";
import { sandboxRecord } from "@opentiger/schema";
import type { Command } from "commander";
import { printable } from "../output/table.ts";
import { cancellable } from "../program/cancellation.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { backendOf, examples, printJson, type VerbOptions, verb } from "../program/verb.ts";

export function fetchCommand(surroundings: Surroundings): Command {
  return verb("fetch", surroundings)
    .description(
      "bring a clone's commits into refs/sandboxes/SANDBOX/* of your repository; nothing is checked out",
    )
    .argument("<sandbox>", "name")
    .addHelpText(
      "after",
      `${examples(surroundings, "fetch my-clone")}\n  git merge refs/sandboxes/my-clone/main`,
    )
    .action(async (name: string, options: VerbOptions) => {
      const backend = await backendOf(surroundings, options);
      const repository = repositoryOf(name, await backend.inspect(name));
      const fetched = await fetch(backend, name, repository, surroundings);
      if (options.json) return printJson(surroundings, { repository: repository.path, ...fetched });
      surroundings.stdout.write(asText(fetched));
    });
}

async function fetch(
  backend: Backend,
  name: string,
  { path: repository, commit: base }: Repository,
  { env }: Surroundings,
): Promise<FetchResult> {
  const sandbox = await backend.open(name);
  try {
    const path = workspaceOf(sandbox);
    return await cancellable(env, (signal) =>
      fetchCommits(sandbox, { repository, name, path, base, signal }),
    );
  } finally {
    await sandbox.close();
  }
}

interface Repository {
  path: string;
  commit: string | null;
}

function repositoryOf(name: string, inspected: Record<string, unknown>): Repository {
  const { data } = sandboxRecord.shape.repository.safeParse(inspected["repository"]);
  if (data) return data;
  throw new SandboxError("unsupported", `${name} works directly in your folder: there is nothing to fetch`, {
    remedy: "Its commits are in your repository already. Only clones (create --clone) are fetched from.",
  });
}

function workspaceOf({ name, workspaces }: Sandbox): string {
  const [first] = workspaces;
  if (first) return first.path;
  throw new SandboxError("sandbox_broken", `${name} has no workspace`);
}

function asText({ refs, submodules }: FetchResult): string {
  const lines = refs.map(({ name, oid }) => `${oid.slice(0, 12)} ${name}`);
  const inner = submodules.flatMap((each) =>
    each.refs.map(({ name, oid }) => `${oid.slice(0, 12)} ${each.path}: ${name}`),
  );
  const all = [...lines, ...inner];
  return all.length === 0 ? "There is nothing new.\n" : `${all.map(printable).join("\n")}\n`;
}
