import { toneOf, tones } from "@opentiger/schema";
import { useQuery } from "@tanstack/react-query";
import { ListTree } from "lucide-react";
import { loopTasksQuery } from "../../api/loops.ts";
import type { Loop, Task } from "../../api/types.ts";
import { EmptyState } from "../../parts/notes.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { StateIcon } from "../../parts/state-icon.tsx";
import { TaskGraph } from "../../parts/task-graph.tsx";
import { words } from "../../words/words.ts";
import { TaskCard } from "./task-card.tsx";

const text = words.loop;

/** The tasks by what they need. */
export function LoopGraph({ loop }: { loop: Loop }) {
  return (
    <LoopTasks loop={loop}>
      {(tasks) => (
        <TaskGraph
          label={text.graph}
          nodes={tasks.map((task) => ({ id: `${task.number}`, needs: task.needs.map(String), task }))}
          card={({ task }) => <TaskCard task={task} />}
        />
      )}
    </LoopTasks>
  );
}

/** The tasks by their state. */
export function LoopBoard({ loop }: { loop: Loop }) {
  return (
    <LoopTasks loop={loop}>
      {(tasks) => (
        <div className="grid grid-cols-1 gap-4 sm:grid-cols-2 xl:grid-cols-4">
          {tones.map((tone) => {
            const here = tasks.filter(({ state }) => toneOf(state) === tone);
            if (here.length === 0) return null;
            return (
              <section key={tone} className="rounded-md bg-sunken p-2">
                <h3 className="mb-2 flex items-center gap-2 px-1 text-sm font-medium">
                  <StateIcon tone={tone} />
                  {words.states.tones[tone]}
                  <span className="numbers text-xs text-faint">{here.length}</span>
                </h3>
                <ul className="flex flex-col gap-2">
                  {here.map((task) => (
                    <li key={task.id}>
                      <TaskCard task={task} />
                    </li>
                  ))}
                </ul>
              </section>
            );
          })}
        </div>
      )}
    </LoopTasks>
  );
}

function LoopTasks({
  loop,
  children,
}: {
  loop: Loop;
  children: (tasks: readonly Task[]) => React.ReactNode;
}) {
  const tasks = useQuery(loopTasksQuery(loop.id));
  return (
    <QueryView query={tasks}>
      {({ items }) => {
        if (items.length > 0) return children(items);
        const planning = loop.state === "planning";
        return (
          <EmptyState icon={ListTree} title={planning ? text.planningTitle : text.noTasks}>
            {planning ? text.planning : loop.detail}
          </EmptyState>
        );
      }}
    </QueryView>
  );
}
