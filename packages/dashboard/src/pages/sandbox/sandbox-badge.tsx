import type { SandboxItem } from "../../api/sandboxes.ts";
import { StateBadge } from "../../parts/state-badge.tsx";
import { words } from "../../words/words.ts";

/** One that runs is there, and nobody waits for it: nothing turns. */
export function SandboxBadge({ sandbox: { status, reason } }: { sandbox: SandboxItem }) {
  return (
    <span title={reason}>
      <StateBadge state={status} still={status === "running"} label={words.sandboxes.states[status]} />
    </span>
  );
}
