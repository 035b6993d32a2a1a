import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { loopEventsQuery, loopQuery } from "../../api/loops.ts";
import { taskJudgementsQuery, taskQuery, taskRunsQuery } from "../../api/tasks.ts";
import type { Task } from "../../api/types.ts";
import { EventList } from "../../parts/event-list.tsx";
import { firstLine } from "../../parts/first-line.ts";
import { MessageBox } from "../../parts/message-box.tsx";
import { Page } from "../../parts/page.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { RunTable } from "../../parts/run-table.tsx";
import { StateBadge } from "../../parts/state-badge.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { words } from "../../words/words.ts";
import { JudgementList } from "./judgement-list.tsx";
import { TaskActions } from "./task-actions.tsx";
import { TaskInstructions } from "./task-instructions.tsx";
import { TaskStanding } from "./task-standing.tsx";

const text = words.task;

/** All of its history is its own. */
const noTitles: ReadonlyMap<string, string> = new Map();

/** One task: what is to be done, where it stands and why, who tried, and what the judge said. */
export function TaskPage() {
  const { id } = useParams({ from: "/tasks/$id" });
  const task = useQuery(taskQuery(id));
  if (task.data) return <Shown task={task.data} />;
  return (
    <Page title={text.title} crumbs={[{ label: words.loops.title, to: "/loops" }]}>
      <QueryView query={task}>{() => null}</QueryView>
    </Page>
  );
}

function Shown({ task }: { task: Task }) {
  const { data: loop } = useQuery(loopQuery(task.loop));
  const runs = useQuery(taskRunsQuery(task.id));
  const judgements = useQuery(taskJudgementsQuery(task.id));
  return (
    <Page
      title={task.title}
      beside={<StateBadge state={task.state} />}
      crumbs={[
        { label: words.loops.title, to: "/loops" },
        {
          label: firstLine(loop?.requirement || task.loop).slice(0, 80),
          to: "/loops/$id",
          params: { id: task.loop },
        },
      ]}
      lead={
        <span className="numbers text-sm text-faint">
          #{task.number} · {words.states.roles[task.role]}
        </span>
      }
      actions={<TaskActions task={task} />}
    >
      <TaskStanding task={task} lastRun={runs.data?.items.at(-1)} />
      {task.state === "running" && <MessageBox task={task.id} />}
      <Tabs
        label={text.parts}
        tabs={[
          { id: "instructions", label: text.instructions, content: () => <TaskInstructions task={task} /> },
          {
            id: "runs",
            label: text.runs,
            ...(runs.data ? { count: runs.data.items.length } : {}),
            content: () => (
              <QueryView query={runs}>{({ items }) => <RunTable runs={items.toReversed()} />}</QueryView>
            ),
          },
          {
            id: "judgements",
            label: text.judgements,
            ...(judgements.data ? { count: judgements.data.items.length } : {}),
            content: () => (
              <QueryView query={judgements}>
                {({ items }) => <JudgementList judgements={items.toReversed()} />}
              </QueryView>
            ),
          },
          { id: "history", label: text.history, content: () => <History task={task} /> },
        ]}
      />
    </Page>
  );
}

function History({ task }: { task: Task }) {
  const events = useInfiniteQuery(loopEventsQuery(task.loop, { task: task.id }));
  return <EventList query={events} titles={noTitles} />;
}
