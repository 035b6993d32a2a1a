import { toneOf } from "@opentiger/schema";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { loopTasksQuery } from "../../api/loops.ts";
import { taskMessagesQuery } from "../../api/tasks.ts";
import type { Task } from "../../api/types.ts";
import { Card, Section } from "../../parts/page.tsx";
import { StateIcon } from "../../parts/state-icon.tsx";
import { writtenOut } from "../../parts/written-out.ts";
import { words } from "../../words/words.ts";
import { EditableInstructions } from "./editable-instructions.tsx";
import { MessageList } from "./message-list.tsx";
import { PointList } from "./point-list.tsx";

const text = words.task;

/** What the agent is told, and within which bounds. */
export function TaskInstructions({ task }: { task: Task }) {
  const { data: tasks } = useQuery(loopTasksQuery(task.loop));
  const { data: messages } = useQuery(taskMessagesQuery(task.id));
  const needs = tasks?.items.filter(({ number }) => task.needs.includes(number)) ?? [];
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[1fr_20rem]">
      <div>
        <EditableInstructions task={task} />
        {task.rework && task.rework.points.length > 0 && (
          <Section title={text.rework}>
            <PointList points={task.rework.points} />
          </Section>
        )}
        <MessageList messages={messages?.items ?? []} />
      </div>
      <Card className="divide-y divide-line">
        <Bound title={text.needs}>
          {needs.length === 0
            ? text.none
            : needs.map(({ id, number, title, state }) => (
                <Link
                  key={id}
                  to="/tasks/$id"
                  params={{ id }}
                  className="flex items-center gap-2 hover:underline"
                >
                  <StateIcon tone={toneOf(state)} />
                  <span className="truncate">
                    #{number} {writtenOut(title)}
                  </span>
                </Link>
              ))}
        </Bound>
        <Bound title={text.paths}>
          {task.allowedPaths.length === 0 ? text.anyPath : <Codes texts={task.allowedPaths} />}
        </Bound>
        {task.mayChange.length > 0 && (
          <Bound title={text.also}>
            <Codes texts={task.mayChange} />
          </Bound>
        )}
        <Bound title={text.verify}>
          {task.verify.length === 0 ? text.none : <Codes texts={task.verify.map(({ command }) => command)} />}
        </Bound>
      </Card>
    </div>
  );
}

function Bound({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="px-4 py-3">
      <p className="mb-1 text-xs text-faint">{title}</p>
      <div className="flex flex-col gap-1">{children}</div>
    </div>
  );
}

function Codes({ texts }: { texts: readonly string[] }) {
  return texts.map((each) => (
    <code key={each} className="font-mono text-xs break-all">
      {each}
    </code>
  ));
}
