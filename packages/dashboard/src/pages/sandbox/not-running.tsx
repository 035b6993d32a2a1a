import { Moon } from "lucide-react";
import { EmptyState } from "../../parts/notes.tsx";
import { words } from "../../words/words.ts";

export interface SandboxTab {
  name: string;
  environment: "host" | "sandbox";
  running: boolean;
}

/** In place of what only a running one can tell. */
export function NotRunning() {
  return (
    <EmptyState icon={Moon} title={words.sandboxes.notRunning}>
      {words.sandboxes.notRunningHint}
    </EmptyState>
  );
}
