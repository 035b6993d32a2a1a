import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { loopQuery, loopRunsQuery } from "../../api/loops.ts";
import type { Loop } from "../../api/types.ts";
import { firstLine } from "../../parts/first-line.ts";
import { MorePages } from "../../parts/more-pages.tsx";
import { Note, Remedy } from "../../parts/notes.tsx";
import { Card, Page } from "../../parts/page.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { RunTable } from "../../parts/run-table.tsx";
import { StateBadge } from "../../parts/state-badge.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { words } from "../../words/words.ts";
import { LoopActions } from "./loop-actions.tsx";
import { LoopActivity } from "./loop-activity.tsx";
import { LoopFacts } from "./loop-facts.tsx";
import { LoopSummary } from "./loop-summary.tsx";
import { LoopBoard, LoopGraph } from "./loop-tasks.tsx";
import { LeaveUnsaved } from "./plan/leave-unsaved.tsx";
import { PlanEditor } from "./plan/plan-editor.tsx";
import { usePlanDraft } from "./plan/use-plan-draft.ts";

const text = words.loop;
const crumbs = [{ label: words.loops.title, to: "/loops" }] as const;

/** One loop: how far it is, what it waits for, and what can be done about it. */
export function LoopPage() {
  const { id } = useParams({ from: "/loops/$id" });
  const loop = useQuery(loopQuery(id));
  if (!loop.data) {
    return (
      <Page title={`${text.title} ${id}`} crumbs={crumbs}>
        <QueryView query={loop}>{() => null}</QueryView>
      </Page>
    );
  }
  return <Shown loop={loop.data} />;
}

function Shown({ loop }: { loop: Loop }) {
  const { state, detail, requirement, source, id } = loop;
  const title = firstLine(requirement || ("summary" in source ? source.summary : id));
  return (
    <Page
      wide
      title={title.slice(0, 160)}
      crumbs={crumbs}
      beside={<StateBadge state={state} />}
      lead={<span className="font-mono text-xs text-faint">{id}</span>}
      actions={<LoopActions loop={loop} />}
    >
      <LoopFacts loop={loop} />
      <Standing state={state} detail={detail} />
      <LoopTabs key={id} loop={loop} />
    </Page>
  );
}

/** What matters most now comes first: the plan while it waits for somebody, the summary when all is over. */
function LoopTabs({ loop }: { loop: Loop }) {
  const { id, state, summary, requirement } = loop;
  const draft = usePlanDraft(loop);
  const waits = state === "awaiting_approval";
  return (
    <>
      <Tabs
        label={text.parts}
        tabs={[
          ...(waits
            ? [{ id: "plan", label: text.plan.tab, content: () => <PlanEditor loop={loop} draft={draft} /> }]
            : []),
          ...(summary && loop.endedAt !== null
            ? [
                {
                  id: "summary",
                  label: text.summary.title,
                  content: () => <LoopSummary loop={loop} summary={summary} />,
                },
              ]
            : []),
          { id: "tasks", label: text.graph, content: () => <LoopGraph loop={loop} /> },
          { id: "board", label: text.board, content: () => <LoopBoard loop={loop} /> },
          { id: "activity", label: text.activity, content: () => <LoopActivity loop={loop} /> },
          { id: "runs", label: text.runs, content: () => <LoopRuns id={id} /> },
          { id: "requirement", label: text.requirement, content: () => <Requirement text={requirement} /> },
        ]}
      />
      <LeaveUnsaved unsaved={waits && draft.isChanged} />
    </>
  );
}

/** Only where it does not go on by itself, or is done with something to say of it. */
function Standing({ state, detail }: { state: Loop["state"]; detail: string | null }) {
  const failed = state === "failed";
  const done = state === "done" && detail !== null;
  if (!failed && !done && !state.startsWith("paused")) return null;
  return (
    <div className="mb-6">
      <Note tone={failed ? "failed" : "blocked"} title={detail ?? words.states.names[state]}>
        {!done && <Remedy text={words.states.next[state]} />}
      </Note>
    </div>
  );
}

function LoopRuns({ id }: { id: string }) {
  const runs = useInfiniteQuery(loopRunsQuery(id));
  return (
    <>
      <QueryView query={runs}>
        {({ pages }) => <RunTable runs={pages.flatMap(({ items }) => items)} />}
      </QueryView>
      <MorePages query={runs} label={text.moreRuns} />
    </>
  );
}

function Requirement({ text: written }: { text: string }) {
  return (
    <Card className="p-5">
      <p className="max-w-180 text-base break-words whitespace-pre-wrap">{written || words.common.none}</p>
    </Card>
  );
}
