import { type Check, type Finding, ok, warn } from "./check.ts";
import { failure } from "./run-checks.ts";
import type { Ward } from "./ward.ts";

export const engineCheck: Check = {
  name: "engine",
  async look(ward) {
    const facts = await ward.facts().catch((error: unknown) => failure(error));
    if ("status" in facts) return [await whereNeeded(facts, ward)];
    const { version, location, rootless, usernsRemap, holds } = facts;
    const mode = [rootless ? "rootless" : "rootful", ...(usernsRemap ? ["userns-remap"] : [])].join(", ");
    const lacking = Object.entries(holds).flatMap(([limit, held]) => (held ? [] : [limit]));
    const findings = [ok(`Docker ${version} at ${ward.engine.address} (${location}, ${mode})`)];
    if (lacking.length > 0)
      findings.push(
        warn(
          `the engine cannot limit ${lacking.join(", ")} of a sandbox`,
          "let it: cgroup v2 with delegation for rootless Docker, see https://docs.docker.com/engine/security/rootless/",
        ),
      );
    return findings;
  },
};

/** Whoever chose the host can work without; nobody else can. */
async function whereNeeded(finding: Finding, ward: Ward): Promise<Finding> {
  return (await ward.setting("EXECUTION_ENVIRONMENT")) === "host" ? { ...finding, status: "warn" } : finding;
}
