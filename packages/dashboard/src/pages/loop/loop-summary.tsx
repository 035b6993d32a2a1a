import { type LoopSummary as Summary, type Tone, tones } from "@opentiger/schema";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { loopTasksQuery } from "../../api/loops.ts";
import type { Loop } from "../../api/types.ts";
import { type Fact, Facts } from "../../parts/facts.tsx";
import { Section } from "../../parts/page.tsx";
import { StateBadge } from "../../parts/state-badge.tsx";
import { StateIcon } from "../../parts/state-icon.tsx";
import { type Column, rowLink, Table } from "../../parts/table.tsx";
import { writtenOut } from "../../parts/written-out.ts";
import { words } from "../../words/words.ts";

const text = words.loop.summary;
type SummedTask = Summary["tasks"][number];

/** What came of a loop that has ended: how many tasks, as how many commits, and of each why it is where it is. */
export function LoopSummary({ loop, summary }: { loop: Loop; summary: Summary }) {
  const { data: tasks } = useQuery(loopTasksQuery(loop.id));
  const ids = new Map(tasks?.items.map(({ number, id }) => [number, id]));
  return (
    <>
      <Facts facts={factsOf(summary)} />
      {loop.plan?.summary && (
        <Section title={text.planned}>
          <p className="max-w-180 text-base break-words whitespace-pre-line text-soft">{loop.plan.summary}</p>
        </Section>
      )}
      <Section title={text.tasks}>
        <Table
          label={text.tasks}
          columns={columnsOf(ids)}
          rows={summary.tasks}
          keyOf={({ number }) => number}
        />
      </Section>
    </>
  );
}

/** Of what there is none in most loops is named only where there is some. */
function factsOf(summary: Summary): Fact[] {
  const counts: Partial<Record<Tone, number>> = {
    done: summary.done,
    failed: summary.failed,
    cancelled: summary.cancelled,
    queued: summary.left,
  };
  const shown = tones.filter((tone) => tone === "done" || (counts[tone] ?? 0) > 0);
  return [
    { label: text.commits, value: summary.commits },
    ...shown.map((tone) => ({
      label: tone === "queued" ? text.left : words.states.tones[tone],
      value: <Count tone={tone}>{counts[tone] ?? 0}</Count>,
    })),
  ];
}

function Count({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className="inline-flex items-center gap-2">
      <StateIcon still tone={tone} />
      {children}
    </span>
  );
}

function columnsOf(ids: ReadonlyMap<number, string>): Column<SummedTask>[] {
  return [
    {
      title: words.loop.task,
      className: "w-full max-w-0",
      cell: (task) => <Named task={task} id={ids.get(task.number)} />,
    },
    { title: words.loop.state, cell: ({ state }) => <StateBadge still state={state} /> },
    {
      title: text.judgement,
      wideOnly: true,
      cell: ({ judgement }) =>
        judgement === null ? (
          <span className="text-faint">{words.common.dash}</span>
        ) : (
          <StateBadge still state={judgement} />
        ),
    },
    { title: words.loop.runs, align: "right", cell: ({ runs }) => runs },
  ];
}

function Named({ task, id }: { task: SummedTask; id: string | undefined }) {
  const name = (
    <>
      <span className="numbers font-normal text-faint">#{task.number}</span> {writtenOut(task.title)}
    </>
  );
  return (
    <div className="min-w-0">
      {id === undefined ? (
        <span className="block truncate font-medium">{name}</span>
      ) : (
        <Link to="/tasks/$id" params={{ id }} className={`${rowLink} block truncate`}>
          {name}
        </Link>
      )}
      {task.detail && <p className="line-clamp-2 text-xs text-soft">{task.detail}</p>}
    </div>
  );
}
