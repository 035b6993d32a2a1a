import { Command } from "commander";

/**
 * A command whose words reach its action untouched: commander would take `--` away and look for options behind
 * the first argument. Its options are there for the help and the completion only.
 */
export class RawCommand extends Command {
  override parseOptions(words: string[]): { operands: string[]; unknown: string[] } {
    return { operands: words, unknown: [] };
  }
}
