import type { SandboxItem } from "../../api/sandboxes.ts";
import { StateBadge } from "../../parts/state-badge.tsx";
import { words } from "../../words/words.ts";

/** What a sandbox is in, in the colours of states: one that runs is there, and does not have to be waited for. */
const states: Readonly<Record<SandboxItem["status"], string>> = {
  running: "done",
  paused: "blocked",
  stopped: "cancelled",
  creating: "running",
  broken: "failed",
};

export function SandboxBadge({ sandbox: { status, reason } }: { sandbox: SandboxItem }) {
  return (
    <span title={reason}>
      <StateBadge state={states[status]} label={words.sandboxes.states[status]} />
    </span>
  );
}
