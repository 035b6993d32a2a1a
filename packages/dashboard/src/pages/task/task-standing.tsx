import { toneOf } from "@opentiger/schema";
import type { Run, Task } from "../../api/types.ts";
import { Facts } from "../../parts/facts.tsx";
import { Note, Remedy } from "../../parts/notes.tsx";
import { agentLabel } from "../../parts/run-table.tsx";
import { RelativeTime } from "../../parts/time.tsx";
import { words } from "../../words/words.ts";

const text = words.task;

/** Where it stands, and who moves it on from there; where it failed, why and what mends it. */
export function TaskStanding({ task, lastRun }: { task: Task; lastRun: Run | undefined }) {
  const tone = toneOf(task.state);
  const failure = tone === "failed" || tone === "blocked" ? lastRun?.failure : null;
  const title = task.detail ?? failure?.message;
  const tries = Object.entries(task.tries).map(([why, count]) => `${why} ${count}`);
  return (
    <>
      <Facts
        facts={[
          { label: text.agent, value: agentLabel(task.agent ?? lastRun?.agent ?? words.common.dash) },
          { label: text.risk, value: words.loop.plan.risks[task.risk] },
          { label: text.estimate, value: task.estimate ?? words.common.dash },
          { label: text.tries, value: tries.join(", ") || words.common.dash },
          ...(task.notBefore
            ? [{ label: text.waitsUntil, value: <RelativeTime at={task.notBefore} /> }]
            : []),
        ]}
      />
      <div className="mb-6">
        <Note tone={tone} title={title ?? words.states.next[task.state]}>
          {title && <p>{words.states.next[task.state]}</p>}
          {failure && <Remedy text={failure.remedy} />}
        </Note>
      </div>
    </>
  );
}
