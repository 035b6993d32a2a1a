import { toneOf, tones } from "@opentiger/schema";
import { useQuery } from "@tanstack/react-query";
import { loopTasksQuery, loopUsageQuery } from "../../api/loops.ts";
import { repositoriesQuery } from "../../api/system.ts";
import type { Loop, Task } from "../../api/types.ts";
import { type Fact, Facts } from "../../parts/facts.tsx";
import { money, tokens } from "../../parts/numbers.tsx";
import { Progress } from "../../parts/progress.tsx";
import { Duration } from "../../parts/time.tsx";
import { words } from "../../words/words.ts";

const text = words.loop;

/** How far it is, what it has used, and where its work is. */
export function LoopFacts({ loop }: { loop: Loop }) {
  const { data: usage } = useQuery(loopUsageQuery(loop.id));
  const { data: tasks } = useQuery(loopTasksQuery(loop.id));
  const { data: repositories } = useQuery(repositoriesQuery);
  const repository = repositories?.items.find(({ id }) => id === loop.repository);
  const { budget } = loop.settings;
  const facts: Fact[] = [
    { label: text.progress, value: <Progress counts={countsOf(tasks?.items ?? [])} wide /> },
    {
      label: text.cost,
      value: <Used used={money(usage?.usd)} budget={budget?.usd ? money(budget.usd) : undefined} />,
    },
    {
      label: text.tokens,
      value: (
        <Used used={tokens(usage?.total ?? 0)} budget={budget?.tokens ? tokens(budget.tokens) : undefined} />
      ),
    },
    { label: text.time, value: <Duration from={loop.createdAt} to={loop.endedAt} /> },
    {
      label: text.branch,
      value: loop.branch ? (
        <code className="font-mono text-xs" title={loop.branch}>
          {loop.branch}
        </code>
      ) : (
        text.noBranch
      ),
    },
    {
      label: text.repository,
      value: <span title={repository?.path}>{repository?.name ?? words.common.dash}</span>,
    },
  ];
  return <Facts facts={facts} />;
}

function Used({ used, budget }: { used: string; budget: string | undefined }) {
  return (
    <>
      {used} {budget && <span className="font-normal text-faint">{text.ofBudget(budget)}</span>}
    </>
  );
}

function countsOf(tasks: readonly Task[]) {
  const counts = { total: tasks.length, queued: 0, running: 0, blocked: 0, done: 0, failed: 0, cancelled: 0 };
  for (const tone of tones) counts[tone] = tasks.filter(({ state }) => toneOf(state) === tone).length;
  return counts;
}
