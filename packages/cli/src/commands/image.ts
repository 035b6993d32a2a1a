import { Command } from "commander";
import type { Surroundings } from "../program/surroundings.ts";
import { quiet } from "../program/verb.ts";
import { imageBuildCommand } from "./image-build.ts";

export function imageCommand(surroundings: Surroundings): Command {
  return quiet(new Command("image"), surroundings)
    .description("The image that sandboxes start from")
    .enablePositionalOptions()
    .usage("COMMAND")
    .addCommand(imageBuildCommand(surroundings));
}
