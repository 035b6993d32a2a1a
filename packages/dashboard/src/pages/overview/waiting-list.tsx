import { toneOf } from "@opentiger/schema";
import { CircleCheck, RotateCcw } from "lucide-react";
import { moveTask } from "../../api/tasks.ts";
import type { Overview } from "../../api/types.ts";
import { Button, ButtonLink } from "../../parts/button.tsx";
import { firstLine } from "../../parts/first-line.ts";
import { Remedy } from "../../parts/notes.tsx";
import { Card } from "../../parts/page.tsx";
import { stateLabel } from "../../parts/state-badge.tsx";
import { StateIcon } from "../../parts/state-icon.tsx";
import { RelativeTime } from "../../parts/time.tsx";
import { useAction } from "../../parts/use-action.ts";
import { writtenOut } from "../../parts/written-out.ts";
import { words } from "../../words/words.ts";
import { LoginWarning, useLoginWarnings } from "./login-warnings.tsx";

const text = words.overview;
type Waiting = Overview["waiting"][number];

/** What does not go on by itself: why, what mends it, and the button that does. */
export function WaitingList({ waiting }: { waiting: readonly Waiting[] }) {
  const warnings = useLoginWarnings();
  if (waiting.length + warnings.length === 0) {
    return (
      <Card className="flex items-center gap-2.5 p-4 text-soft">
        <CircleCheck aria-hidden className="size-4 text-done" />
        {text.nothingNeedsYou}
      </Card>
    );
  }
  return (
    <Card>
      <ul className="divide-y divide-line">
        {waiting.map((each) => (
          <WaitingItem key={`${each.loop} ${each.task?.id}`} waiting={each} />
        ))}
        {warnings.map((warning) => (
          <LoginWarning key={warning.secret} warning={warning} />
        ))}
      </ul>
    </Card>
  );
}

function WaitingItem({ waiting }: { waiting: Waiting }) {
  const { loop, task, state, detail, failure, requirement } = waiting;
  const retry = useAction(() => moveTask(task?.id ?? "", "retry"), { done: text.retried });
  const why = detail ?? failure?.message;
  const name = firstLine(requirement);
  return (
    <li className="flex flex-wrap gap-x-3 gap-y-2 px-4 py-3">
      <StateIcon tone={toneOf(state)} className="mt-0.75" />
      <div className="min-w-0 flex-1 basis-60">
        <p className="font-medium break-words">{task ? writtenOut(task.title) : name}</p>
        <p className="flex flex-wrap gap-x-2 text-xs text-faint">
          <span>{stateLabel(state)}</span>
          {task && <span className="truncate">{name}</span>}
          <RelativeTime at={waiting.since} />
          {waiting.until && (
            <span>
              {text.until} <RelativeTime at={waiting.until} />
            </span>
          )}
        </p>
        {why && (
          <div className="mt-1 text-soft">
            <Remedy text={why} />
          </div>
        )}
        {failure && (
          <div className="text-soft">
            <Remedy text={failure.remedy} />
          </div>
        )}
      </div>
      <div className="flex gap-2">
        {task && state === "failed" && (
          <Button icon={RotateCcw} busy={retry.isPending} onClick={() => retry.mutate()}>
            {text.retry}
          </Button>
        )}
        {task ? (
          <ButtonLink to="/tasks/$id" params={{ id: task.id }}>
            {text.look}
          </ButtonLink>
        ) : (
          <ButtonLink
            to="/loops/$id"
            params={{ id: loop }}
            {...(state === "awaiting_approval" ? { look: "primary" } : {})}
          >
            {state === "awaiting_approval" ? text.approve : text.look}
          </ButtonLink>
        )}
      </div>
    </li>
  );
}
