import type { Command } from "commander";
import { type LoopVerbOptions, loopExamples, loopVerb } from "../loop/place.ts";
import { progressOn } from "../output/progress.ts";
import type { Surroundings } from "../program/surroundings.ts";
import { printJson } from "../program/verb.ts";
import { Endings } from "../server/endings.ts";
import { stages, type TakenDown, takeDown } from "../server/take-down.ts";

interface DownOptions extends LoopVerbOptions {
  drain?: true;
}

export function downCommand(surroundings: Surroundings): Command {
  return loopVerb("down", surroundings)
    .description("end openTiger; agents go on, and the next `opentiger up` adopts them")
    .option("--drain", "begin nothing more, and wait until what is being worked on is done")
    .addHelpText("after", loopExamples("down", "down --drain"))
    .action(async (options: DownOptions) => {
      const progress = progressOn(surroundings, options);
      const endings = new Endings();
      try {
        const drain = options.drain === true;
        const say = (sentence: string) => progress.line(`${sentence}; Ctrl-C does not wait for that`);
        const taken = await takeDown(surroundings.env, { drain, say, signal: endings.first });
        progress.end();
        tellTakenDown(taken, options, surroundings);
      } finally {
        endings.close();
      }
    });
}

/** Also for `up`, which ends the same way. */
export function tellTakenDown(taken: TakenDown, { json }: LoopVerbOptions, surroundings: Surroundings): void {
  if (json) return printJson(surroundings, taken);
  const { server, processes, goOn, trouble } = taken;
  if (trouble !== null) surroundings.stderr.write(`${trouble}\n`);
  if (!server && processes.length === 0) return void surroundings.stdout.write("openTiger did not run\n");
  const rest =
    goOn > 0 ? `; ${stages(goOn)} that it worked on go on, and the next \`opentiger up\` adopts them` : "";
  surroundings.stdout.write(`openTiger has ended${rest}\n`);
}
