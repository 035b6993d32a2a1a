import type { NetworkSettings } from "@opentiger/schema";
import { type Address, addressText, parseAddress } from "../host/address.ts";
import { cidrText } from "./cidr.ts";
import type { Decision } from "./decide.ts";
import { closedRange, neverRange } from "./ranges.ts";
import { decideByCidr, readRules } from "./rules.ts";

/** Why an address must not be dialled, or undefined when it may. `final` says that no rule can change it. */
export interface AddressBlock {
  rule: string;
  final: boolean;
}

/**
 * The second check, of the address that will be dialled. Link-local is never reached. An exact host rule skips the
 * rest; then the user's ranges decide, the longest prefix first and block among equals; then the closed ranges and
 * the addresses of this machine, from which sandboxd dials.
 */
export function blockedAddress(
  settings: NetworkSettings,
  decision: Pick<Decision, "skipsRanges">,
  text: string,
  own: () => readonly Address[],
): AddressBlock | undefined {
  const address = parseAddress(text);
  if (!address) return { rule: "not an address", final: true };
  const never = neverRange(address);
  if (never) return { rule: `never ${cidrText(never)}`, final: true };
  if (decision.skipsRanges) return undefined;
  const rules = readRules(settings);
  if (!rules.ok) return { rule: rules.reason, final: false };
  const ruling = decideByCidr(rules.value, address);
  if (ruling) return ruling.effect === "block" ? { rule: ruling.rule, final: false } : undefined;
  const closed = closedRange(address);
  if (closed) return { rule: `private range ${cidrText(closed)}`, final: false };
  // Asked last: it is the only one of these that costs anything.
  const isOwn = own().some((mine) => mine.version === address.version && mine.value === address.value);
  return isOwn ? { rule: `address of this machine ${addressText(address)}`, final: false } : undefined;
}
