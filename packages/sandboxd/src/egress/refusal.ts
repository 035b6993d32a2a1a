import { isThisMachine, type Target, targetText } from "./host/target.ts";
import type { AddressBlock } from "./policy/address-check.ts";

/** Why something was not let through, for the log and for whoever asked. */
export interface Refusal {
  /** Short, for the log. */
  rule: string;
  /** A sentence. */
  why: string;
  /** What would change it, with the command; undefined when nothing would. */
  remedy: string | undefined;
}

/**
 * The command that allows exactly this: a rule for host and port is the most specific there is, and adding it removes
 * it from the lists where it blocks.
 */
export function allowCommand(name: string, effect: "allow" | "bypass", target: Target): string {
  const rule = exactRule(target);
  // Brackets mean something to a shell.
  const quoted = rule.includes("[") ? `'${rule}'` : rule;
  return `docker sandbox network proxy ${name} --${effect}-host ${quoted}`;
}

/** The rule that speaks of this host and port alone. */
export function exactRule(target: Target): string {
  return isThisMachine(target.host) ? `localhost:${target.port}` : targetText(target);
}

export function addressRefusal(name: string, target: Target, block: AddressBlock): Refusal {
  return {
    rule: block.rule,
    why: block.final
      ? "The host leads to an address that no sandbox may reach, whatever the rules say."
      : "The host leads to an address that is not of the public internet, or that a rule blocks.",
    remedy: block.final
      ? undefined
      : `To allow this host with whatever address it has, run on the host:\n  ${allowCommand(name, "allow", target)}`,
  };
}

/** The text of a 403. It names the host and no path: the log and this text are read by others. */
export function refusalText(target: Target, refusal: Refusal): string {
  const lines = [
    "Blocked by openTiger.",
    `host: ${target.host.text}`,
    `port: ${target.port}`,
    `rule: ${refusal.rule}`,
    refusal.why,
  ];
  if (refusal.remedy) lines.push(refusal.remedy);
  return `${lines.join("\n")}\n`;
}
