import type { CreateOptions, Sandbox } from "@opentiger/sandbox";
import { agentNames, type NetworkPolicy, networkPolicies } from "@opentiger/schema";
import { type Command, Option } from "commander";
import { UsageError } from "../errors.ts";
import { parseSize } from "../output/size.ts";
import type { VerbOptions } from "./verb.ts";

/** The options with which `create` and `run` make a sandbox. */
export interface MakeOptions extends VerbOptions {
  name?: string;
  template?: string;
  pullTemplate?: "always" | "missing" | "never";
  quiet?: true;
  clone?: true;
  commit?: string;
  memory?: number;
  cpus?: number;
  pids?: number;
  network?: NetworkPolicy;
}

export function withMakeOptions(command: Command): Command {
  return command
    .option("--name <name>", "name (default: AGENT-FOLDER)")
    .option("-t, --template <image>", "image or saved sandbox to start from")
    .addOption(new Option("--pull-template <when>", "pull the image").choices(["always", "missing", "never"]))
    .option("-q, --quiet", "print only the name")
    .option("--clone", "work in a private clone of the repository; nothing of the host is mounted")
    .option("--commit <commit>", "with --clone: where to start (default: HEAD)")
    .option("--memory <size>", "limit, for example 4g", parseSize)
    .option("--cpus <number>", "limit, for example 1.5", parseCpus)
    .option("--pids <number>", "limit of processes", parsePids)
    .addOption(
      new Option("--network <policy>", "what it may reach (default: allow)").choices(networkPolicies),
    );
}

/** Those given that say how a sandbox is made and do not hold for this one, as the user writes them. */
export function unusedOptions(
  options: MakeOptions,
  { name: own, workspaceKind }: Pick<Sandbox, "name" | "workspaceKind">,
): string[] {
  const { template, pullTemplate, commit, memory, cpus, pids, network } = options;
  const name = options.name === own ? undefined : options.name;
  const clone = workspaceKind === "clone" ? undefined : options.clone;
  const limits = { memory, cpus, pids };
  const making = { name, template, "pull-template": pullTemplate, clone, commit, ...limits, network };
  return Object.entries(making).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`]));
}

export function createOptions(
  agent: string,
  workspaces: readonly string[],
  options: MakeOptions,
): CreateOptions {
  if (options.commit !== undefined && !options.clone) {
    throw new UsageError("--commit says where a clone starts", "Add --clone.");
  }
  const { memory, cpus, pids } = options;
  const limits = { ...given("memoryBytes", memory), ...given("cpus", cpus), ...given("pids", pids) };
  return {
    agent: checkedAgent(agent),
    workspaces: workspaces.map(readWorkspace),
    workspaceKind: options.clone ? "clone" : "direct",
    ...given("name", options.name),
    ...given("commit", options.commit),
    ...given("image", options.template),
    ...given("pull", options.pullTemplate),
    ...(options.network === undefined ? {} : { network: { policy: options.network } }),
    ...(Object.keys(limits).length > 0 ? { limits } : {}),
  };
}

export function isAgent(word: string): word is (typeof agentNames)[number] {
  return agentNames.some((name) => name === word);
}

/** `PATH`, `PATH:ro` or `PATH:rw`. A colon elsewhere is part of the path. */
export function readWorkspace(word: string): { path: string; readOnly: boolean } {
  const path = word.replace(/:(ro|rw)$/, "");
  if (path === "")
    throw new UsageError("a workspace has no path", "Name a folder: docker sandbox create claude .");
  return { path, readOnly: word.endsWith(":ro") };
}

function checkedAgent(word: string): (typeof agentNames)[number] {
  if (isAgent(word)) return word;
  throw new UsageError(
    `"${word}" is not an agent`,
    `Agents: ${agentNames.join(", ")}. The workspace comes after it.`,
  );
}

function parseCpus(text: string): number {
  const cpus = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && cpus > 0) return cpus;
  throw new UsageError(`"${text}" is not a number of cpus`, "For example: --cpus 1.5");
}

function parsePids(text: string): number {
  const pids = Number(text);
  if (/^\d+$/.test(text) && pids > 0) return pids;
  throw new UsageError(`"${text}" is not a number of processes`, "For example: --pids 512");
}

function given<K extends string, V>(key: K, value: V | undefined): { [key in K]?: V } {
  // The computed key is the literal K, which TypeScript widens to string.
  return value === undefined ? {} : ({ [key]: value } as { [key in K]: V });
}
