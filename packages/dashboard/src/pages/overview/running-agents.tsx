import { Link } from "@tanstack/react-router";
import { Bot } from "lucide-react";
import type { Overview } from "../../api/types.ts";
import { firstLine } from "../../parts/first-line.ts";
import { EmptyState } from "../../parts/notes.tsx";
import { Tokens } from "../../parts/numbers.tsx";
import { Card } from "../../parts/page.tsx";
import { agentLabel } from "../../parts/run-table.tsx";
import { StateIcon } from "../../parts/state-icon.tsx";
import { Duration } from "../../parts/time.tsx";
import { writtenOut } from "../../parts/written-out.ts";
import { words } from "../../words/words.ts";

const text = words.overview;
type Running = Overview["running"][number];

/** Each agent with what it does at the moment. */
export function RunningAgents({ running }: { running: readonly Running[] }) {
  if (running.length === 0) {
    return (
      <EmptyState icon={Bot} title={text.nothingRuns}>
        {text.nothingRunsHint}
      </EmptyState>
    );
  }
  return (
    <Card>
      <ul className="divide-y divide-line">
        {running.map((each) => (
          <li key={each.run} className="relative flex gap-3 px-4 py-3 transition-colors hover:bg-hover">
            <StateIcon tone="running" className="mt-0.75" />
            <div className="min-w-0 flex-1">
              <p className="flex gap-2">
                <Link
                  to="/runs/$id"
                  params={{ id: each.run }}
                  className="truncate font-medium after:absolute after:inset-0"
                >
                  {each.task ? `#${each.task.number} ${writtenOut(each.task.title)}` : text.planning}
                </Link>
              </p>
              <p className="truncate text-xs text-faint">
                {words.states.roles[each.role]} · {agentLabel(each.agent)} · {firstLine(each.requirement)}
              </p>
              <p className="mt-1 truncate font-mono text-xs text-soft" aria-live="off">
                {actionOf(each.action)}
              </p>
            </div>
            <div className="flex flex-col items-end text-xs text-faint">
              <Duration from={each.startedAt} to={null} />
              <Tokens count={each.tokens} />
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** In one line. */
function actionOf(action: Running["action"]): string {
  switch (action?.type) {
    case "tool_call":
      return `${action.tool} ${action.summary}`;
    case "file_change":
      return `${words.run.changes[action.change]} ${action.path}`;
    case "text":
    case "message":
    case "thinking":
      return firstLine(action.text);
    case "finished":
      return text.ends;
    default:
      return text.starts;
  }
}
