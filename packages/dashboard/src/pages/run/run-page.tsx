import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { runQuery } from "../../api/runs.ts";
import { taskQuery } from "../../api/tasks.ts";
import type { Run } from "../../api/types.ts";
import { Facts } from "../../parts/facts.tsx";
import { MessageBox } from "../../parts/message-box.tsx";
import { Loading, Note, Remedy } from "../../parts/notes.tsx";
import { Money, Tokens, tokenTotal } from "../../parts/numbers.tsx";
import { type Crumb, Page } from "../../parts/page.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { agentLabel } from "../../parts/run-table.tsx";
import { StateBadge } from "../../parts/state-badge.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { Duration } from "../../parts/time.tsx";
import { words } from "../../words/words.ts";
import { LogList } from "./logs/log-list.tsx";
import { TranscriptView } from "./transcript/transcript-view.tsx";

const text = words.run;
const DiffView = lazy(() => import("./diff/diff-view.tsx").then(({ DiffView: view }) => ({ default: view })));

/** One attempt at a task by one agent: what it said, what it changed, and what the checks printed. */
export function RunPage() {
  const { id } = useParams({ from: "/runs/$id" });
  const run = useQuery(runQuery(id));
  if (run.data) return <Shown run={run.data} />;
  return (
    <Page title={text.title} crumbs={[{ label: words.loops.title, to: "/loops" }]}>
      <QueryView query={run}>{() => null}</QueryView>
    </Page>
  );
}

function Shown({ run }: { run: Run }) {
  return (
    <Page
      wide
      title={text.name(words.states.roles[run.role], run.number)}
      beside={<StateBadge state={run.state} />}
      crumbs={useCrumbs(run)}
    >
      <Facts
        facts={[
          { label: text.agent, value: agentLabel(run.agent) },
          { label: text.tokens, value: <Tokens count={tokenTotal(run.tokens)} /> },
          { label: text.cost, value: <Money usd={run.usd} /> },
          { label: text.time, value: <Duration from={run.startedAt} to={run.endedAt} /> },
          { label: text.sandbox, value: <SandboxLink name={run.sandbox} /> },
        ]}
      />
      {run.failure && (
        <div className="mb-6">
          <Note tone="failed" title={run.failure.message}>
            <Remedy text={run.failure.remedy} />
          </Note>
        </div>
      )}
      {run.task !== null && run.state === "running" && run.role !== "judge" && <MessageBox task={run.task} />}
      <Tabs
        label={text.parts}
        tabs={[
          {
            id: "transcript",
            label: text.transcript,
            content: () => <TranscriptView run={run.id} live={run.state === "running"} />,
          },
          {
            id: "diff",
            label: text.diff,
            content: () => (
              <Suspense fallback={<Loading />}>
                <DiffView run={run} />
              </Suspense>
            ),
          },
          { id: "logs", label: text.logs, content: () => <LogList run={run.id} /> },
        ]}
      />
    </Page>
  );
}

function useCrumbs(run: Run): Crumb[] {
  const { data: task } = useQuery({ ...taskQuery(run.task ?? ""), enabled: run.task !== null });
  return [
    { label: words.loops.title, to: "/loops" },
    { label: run.loop, to: "/loops/$id", params: { id: run.loop } },
    ...(task ? [{ label: task.title, to: "/tasks/$id" as const, params: { id: task.id } }] : []),
  ];
}

function SandboxLink({ name }: { name: string | null }) {
  if (name === null) return words.common.dash;
  return (
    <Link
      to="/sandboxes/$name"
      params={{ name }}
      className="font-mono text-xs underline-offset-2 hover:underline"
    >
      {name}
    </Link>
  );
}
