import { Command } from "commander";

/** A command that keeps apart what stands behind `--`: those words are for somebody else. */
export class DashedCommand extends Command {
  afterDashes: readonly string[] = [];

  override parseOptions(words: string[]): { operands: string[]; unknown: string[] } {
    const dashes = words.indexOf("--");
    if (dashes < 0) return super.parseOptions(words);
    this.afterDashes = words.slice(dashes + 1);
    return super.parseOptions(words.slice(0, dashes));
  }
}
