import { type Target, targetText } from "./host/target.ts";
import { type Decision, decide } from "./policy/decide.ts";
import { allowCommand, type Refusal } from "./refusal.ts";
import type { EgressSandbox } from "./sandbox.ts";

export type Access =
  | { verdict: "allowed"; decision: Decision }
  | { verdict: "blocked"; decision: Decision; refusal: Refusal };

/** The policy, and then the gateway: what is brokered is reached through it or by a bypass, whatever else is allowed. */
export function access(sandbox: EgressSandbox, target: Target): Access {
  const decision = decide(sandbox.settings(), target);
  const blockedByRule = decision.verdict === "blocked" && !decision.byDefault;
  const gateway = decision.bypass || blockedByRule ? undefined : sandbox.brokered(target.host.text);
  if (gateway !== undefined) {
    return { verdict: "blocked", decision, refusal: useGateway(sandbox, target, gateway) };
  }
  if (decision.verdict === "allowed") return { verdict: "allowed", decision };
  const refusal: Refusal = {
    rule: decision.rule,
    why: `The network policy of sandbox ${sandbox.name} does not allow it.`,
    remedy: `To allow it, run on the host:\n  ${allowCommand(sandbox.name, "allow", target)}`,
  };
  return { verdict: "blocked", decision, refusal };
}

function useGateway(sandbox: EgressSandbox, target: Target, gateway: string): Refusal {
  return {
    rule: "brokered",
    why: `The credential for ${target.host.text} is kept outside of the sandbox: use the gateway ${gateway} instead.`,
    remedy:
      `To open a tunnel to ${targetText(target)} all the same, run on the host:\n` +
      `  ${allowCommand(sandbox.name, "bypass", target)}\n` +
      "What is lost: nobody sees what is sent through the tunnel, with which key, or what it costs.",
  };
}
