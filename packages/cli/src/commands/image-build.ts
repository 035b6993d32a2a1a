import {
  type BundledAgent,
  buildWorkerImage,
  bundledAgents,
  connectEngine,
  defaultHome,
} from "@opentiger/sandbox";
import { type Command, Option } from "commander";
import { UsageError } from "../errors.ts";
import { BuildProgress } from "../output/build-progress.ts";
import { progressOn } from "../output/progress.ts";
import { cancellable } from "../program/cancellation.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { printJson, type VerbOptions, verb } from "../program/verb.ts";

interface ImageBuildOptions extends VerbOptions {
  agents?: BundledAgent[];
  base?: "registry" | "debian";
  tag?: string;
  fresh?: true;
  keepCertificates?: true;
  quiet?: true;
}

export function imageBuildCommand(surroundings: Surroundings): Command {
  return verb("build", surroundings)
    .description("build the worker image; quick when nothing has changed")
    .option("--agents <list>", `agent CLIs to put in (default: ${bundledAgents.join(",")})`, parseAgents)
    .addOption(new Option("--base <base>", "where the base comes from").choices(["registry", "debian"]))
    .option("--tag <image>", "name of the image (default: SANDBOX_DOCKER_IMAGE or opentiger/worker:latest)")
    .option("--fresh", "without the engine's cache: newer packages, security updates")
    .option("--keep-certificates", "leave this machine's extra certificates in the image")
    .option("-q, --quiet", "print only the image's id")
    .addHelpText(
      "after",
      `
Examples:
  opentiger image build
  opentiger image build --agents claude,codex
  opentiger image build --base debian     # where no registry can be reached; needs root`,
    )
    .action(async (options: ImageBuildOptions) => {
      const image = await build(surroundings, options);
      if (options.json) return printJson(surroundings, image);
      if (options.quiet) return void surroundings.stdout.write(`${image.id}\n`);
      const size = `${Math.round(image.bytes / 1e6)} MB`;
      surroundings.stdout.write(`✓ ${image.tag} ${image.built ? "built" : "is up to date"} (${size})\n`);
    });
}

async function build(surroundings: Surroundings, options: ImageBuildOptions) {
  const { env } = surroundings;
  const context = options.context ?? surroundings.context;
  const { docker } = connectEngine({
    env,
    home: defaultHome(env),
    ...(context === undefined ? {} : { context }),
  });
  const tag = options.tag ?? (env["SANDBOX_DOCKER_IMAGE"] || undefined);
  const progress = progressOn(surroundings, options);
  const steps = new BuildProgress((line) => progress.line(line));
  try {
    return await cancellable(env, (signal) =>
      buildWorkerImage({
        docker,
        env,
        signal,
        onProgress: (event) => steps.take(event),
        ...(tag === undefined ? {} : { tag }),
        ...(options.agents ? { agents: options.agents } : {}),
        ...(options.base ? { base: options.base } : {}),
        ...(options.fresh ? { fresh: true } : {}),
        ...(options.keepCertificates ? { keepCertificates: true } : {}),
      }),
    );
  } finally {
    progress.end();
  }
}

function parseAgents(text: string): BundledAgent[] {
  return text.split(",").map((word) => {
    const agent = bundledAgents.find((name) => name === word.trim());
    if (agent) return agent;
    throw new UsageError(`"${word}" has no CLI for the image`, `Choose from: ${bundledAgents.join(", ")}`);
  });
}
