import type { PlannedTask } from "@opentiger/schema";
import { type LoopWorld, plannedTask } from "./loop-world.ts";

const opinion = JSON.stringify({ judgement: "pass", summary: "It is as asked for.", points: [] });

const script = `if grep -q '^You are the judge' "$0"; then echo '${opinion}'; else eval "$(sed -n 's/^RUN: //p' "$0")"; fi`;

/**
 * Lets all roles be played by an agent without a model, from now on: it does what stands behind RUN: in its prompt, and
 * as a judge it passes everything. Nothing is reached from any sandbox.
 */
export async function obeyOnly({ place }: Pick<LoopWorld, "place">): Promise<void> {
  const agents = ["PLANNER", "WORKER", "TESTER", "DOCSER", "JUDGE"].map((role) => `OPENTIGER_${role}_AGENT`);
  await place.config.patch(
    {
      ...Object.fromEntries(agents.map((key) => [key, "command"])),
      OPENTIGER_AGENT_COMMAND: ["sh", "-c", script, "{promptFile}"],
      OPENTIGER_NETWORK_POLICY: "deny",
    },
    "test",
  );
}

/** A task that is these commands. */
export function ordered(
  key: string,
  commands: readonly string[],
  more: Partial<PlannedTask> = {},
): PlannedTask {
  return plannedTask(key, { instructions: commands.map((command) => `RUN: ${command}`).join("\n"), ...more });
}
