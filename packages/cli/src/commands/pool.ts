import { type Backend, DockerBackend, mostParked, SandboxError } from "@opentiger/sandbox";
import { type NetworkPolicy, networkPolicies } from "@opentiger/schema";
import { type Command, Option } from "commander";
import { UsageError } from "../errors.ts";
import { cancellable } from "../program/cancellation.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { backendOf, examples, printJson, type VerbOptions, verb } from "../program/verb.ts";

interface PoolOptions extends VerbOptions {
  size?: number;
  template?: string;
  network?: NetworkPolicy;
}

export function poolCommand(surroundings: Surroundings): Command {
  return verb("pool", surroundings)
    .description("keep sandboxes ready, so that `create --clone` only has to send the repository in")
    .option("--size <number>", "how many to keep parked; 0 turns the pool off", parseCount)
    .option("-t, --template <image>", "their image (default: the worker image)")
    .addOption(new Option("--network <policy>", "what they may reach").choices(networkPolicies))
    .addHelpText("after", examples(surroundings, "pool", "pool --size 3", "pool --size 0"))
    .action(async (options: PoolOptions) => {
      const backend = requireDocker(await backendOf(surroundings, options));
      await change(backend, surroundings, options);
      const status = await backend.poolStatus();
      if (options.json) return printJson(surroundings, status);
      const off = status.size === 0 && status.parked === 0;
      surroundings.stdout.write(off ? "The pool is off.\n" : `${status.parked} of ${status.size} parked\n`);
    });
}

async function change(backend: DockerBackend, { env }: Surroundings, options: PoolOptions): Promise<void> {
  const { size, template, network } = options;
  if (size === undefined && (template ?? network)) throw new UsageError("how many? Add --size");
  if (size === undefined) return;
  if (size === 0) return void (await backend.drainPool());
  const settings = { size, ...(template ? { image: template } : {}), ...(network ? { network } : {}) };
  await cancellable(env, (signal) => backend.fillPool(settings, signal));
}

function requireDocker(backend: Backend): DockerBackend {
  if (backend instanceof DockerBackend) return backend;
  throw new SandboxError("unsupported", "host mode has no pool: there is nothing to prepare", {
    remedy: "Unset AGENT_LOOP_HOST to use Docker.",
  });
}

function parseCount(text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count <= mostParked) return count;
  throw new UsageError(`"${text}" is not a size for the pool`, `Choose 0 to ${mostParked}.`);
}
