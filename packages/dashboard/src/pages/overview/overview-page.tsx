import { useQuery } from "@tanstack/react-query";
import { Plus, Sparkles } from "lucide-react";
import { newestLoopsQuery } from "../../api/loops.ts";
import { overviewQuery } from "../../api/overview.ts";
import type { ListedLoop, Overview } from "../../api/types.ts";
import { ButtonLink } from "../../parts/button.tsx";
import { EmptyState } from "../../parts/notes.tsx";
import { Page, Section } from "../../parts/page.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { words } from "../../words/words.ts";
import { LoopTable } from "../loops/loop-table.tsx";
import { LoginWarnings } from "./login-warnings.tsx";
import { RunningAgents } from "./running-agents.tsx";
import { Spend } from "./spend.tsx";
import { Throughput } from "./throughput.tsx";
import { WaitingList } from "./waiting-list.tsx";

const text = words.overview;
const recent = 6;

/** What needs somebody now, what goes on, how much gets done, and what it costs. */
export function OverviewPage() {
  const overview = useQuery(overviewQuery);
  const loops = useQuery(newestLoopsQuery);
  const begin = (
    <ButtonLink look="primary" icon={Plus} to="/loops/new">
      {words.shell.newLoop}
    </ButtonLink>
  );
  return (
    <Page wide title={text.title} actions={begin}>
      <QueryView query={loops}>
        {({ items }) =>
          items.length === 0 ? (
            <>
              <LoginWarnings />
              <EmptyState
                icon={Sparkles}
                title={text.welcome}
                action={
                  <>
                    {begin}
                    <ButtonLink to="/agents">{text.firstSteps}</ButtonLink>
                  </>
                }
              >
                {text.welcomeText}
              </EmptyState>
            </>
          ) : (
            <QueryView query={overview}>{(data) => <Shown overview={data} loops={items} />}</QueryView>
          )
        }
      </QueryView>
    </Page>
  );
}

function Shown({ overview, loops }: { overview: Overview; loops: readonly ListedLoop[] }) {
  return (
    <div className="grid items-start gap-x-8 xl:grid-cols-[1fr_22rem]">
      <div className="min-w-0">
        <Section title={text.needsYou}>
          <WaitingList waiting={overview.waiting} />
        </Section>
        <Section title={text.running}>
          <RunningAgents running={overview.running} />
        </Section>
        <Section
          title={text.recent}
          beside={
            <ButtonLink look="quiet" to="/loops">
              {text.allLoops}
            </ButtonLink>
          }
        >
          <LoopTable brief loops={loops.slice(0, recent)} />
        </Section>
      </div>
      <div className="min-w-0">
        <Throughput throughput={overview.throughput} />
        <Spend overview={overview} />
      </div>
    </div>
  );
}
