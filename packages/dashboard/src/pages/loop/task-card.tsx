import { toneOf } from "@opentiger/schema";
import { Link } from "@tanstack/react-router";
import type { Task } from "../../api/types.ts";
import { classes } from "../../parts/classes.ts";
import { stateLabel } from "../../parts/state-badge.tsx";
import { StateIcon } from "../../parts/state-icon.tsx";
import { writtenOut } from "../../parts/written-out.ts";
import { toneText } from "../../theme/states.ts";
import { words } from "../../words/words.ts";

/** A task in the graph and on the board: what, in which state, by whom. */
export function TaskCard({ task }: { task: Task }) {
  const tone = toneOf(task.state);
  const title = writtenOut(task.title);
  return (
    <Link
      to="/tasks/$id"
      params={{ id: task.id }}
      data-task={task.number}
      className={classes(
        "flex h-full flex-col justify-between gap-1.5 rounded-md border border-line bg-surface px-3 py-2.5 shadow-raised transition-colors hover:border-line-strong hover:bg-hover",
        tone === "running" && "border-running/50",
      )}
    >
      <span className="flex items-start gap-2">
        <StateIcon tone={tone} className="mt-0.75" />
        <span className="min-w-0 flex-1 truncate font-medium" title={title}>
          {title}
        </span>
      </span>
      <span className="flex items-center justify-between gap-2 text-xs text-faint">
        <span className="truncate">
          <span className="numbers">#{task.number}</span> · {words.states.roles[task.role]}
        </span>
        <span className={classes("whitespace-nowrap", toneText[tone])}>{stateLabel(task.state)}</span>
      </span>
    </Link>
  );
}
