import type { Command } from "commander";
import { cancellable } from "../program/cancellation.ts";
import { exportImage } from "../program/image-export.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { backendOf, examples, printJson, type VerbOptions, verb } from "../program/verb.ts";

interface SaveOptions extends VerbOptions {
  output?: string;
}

export function saveCommand(surroundings: Surroundings): Command {
  return verb("save", surroundings)
    .description(
      "keep a sandbox's files as a template: what is installed, and a clone with what is in it; mounted folders are not part of it",
    )
    .argument("<sandbox>", "name")
    .argument("<tag>", "name of the image")
    .option("-o, --output <tar>", "also write the image to a file")
    .addHelpText(
      "after",
      examples(
        surroundings,
        "save my-sandbox my-agent-template:v1",
        "create --name fast-sandbox -t my-agent-template:v1 claude .",
      ),
    )
    .action(async (name: string, tag: string, options: SaveOptions) => {
      const backend = await backendOf(surroundings, options);
      const { imageId } = await backend.save(name, tag);
      if (options.output) await writeTar(imageId, options.output, surroundings, options);
      if (options.json) return printJson(surroundings, { tag, imageId, output: options.output ?? null });
      surroundings.stdout.write(`✓ Saved sandbox as ${tag}\n`);
      if (options.output) surroundings.stdout.write(`✓ Written to ${options.output}\n`);
    });
}

async function writeTar(
  imageId: string,
  path: string,
  surroundings: Surroundings,
  options: SaveOptions,
): Promise<void> {
  const engine = { env: surroundings.env, context: options.context ?? surroundings.context };
  await cancellable(surroundings.env, (signal) => exportImage(imageId, path, engine, signal));
}
