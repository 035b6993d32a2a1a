import { Scale } from "lucide-react";
import type { Judgement } from "../../api/types.ts";
import { EmptyState, Note } from "../../parts/notes.tsx";
import { Card, Section } from "../../parts/page.tsx";
import { StateBadge } from "../../parts/state-badge.tsx";
import { RelativeTime } from "../../parts/time.tsx";
import { words } from "../../words/words.ts";
import { CheckRounds } from "./check-rounds.tsx";
import { PointList } from "./point-list.tsx";

const text = words.task;

/** What the judge said, the newest first, with all that it said it on. */
export function JudgementList({ judgements }: { judgements: readonly Judgement[] }) {
  if (judgements.length === 0) {
    return (
      <EmptyState icon={Scale} title={text.judgements}>
        {text.noJudgements}
      </EmptyState>
    );
  }
  return judgements.map((judgement) => <OneJudgement key={judgement.id} judgement={judgement} />);
}

function OneJudgement({ judgement }: { judgement: Judgement }) {
  const { evidence, points, candidateOid, at } = judgement;
  const notes = [...evidence.notes, ...evidence.redBefore.map((name) => `${text.redBefore}: ${name}`)];
  return (
    <Card className="mb-5 p-5">
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <StateBadge state={judgement.judgement} />
        <span className="text-faint">
          {text.candidate} <code className="font-mono text-xs">{candidateOid.slice(0, 10)}</code>
        </span>
        <span className="ml-auto text-xs text-faint">
          <RelativeTime at={at} />
        </span>
      </div>
      {evidence.trouble && (
        <div className="mb-4">
          <Note tone="blocked" title={text.trouble}>
            {evidence.trouble}
          </Note>
        </div>
      )}
      {points.length > 0 && (
        <Section title={text.points}>
          <PointList points={points} />
        </Section>
      )}
      {evidence.rounds.length > 0 && (
        <Section title={text.checks}>
          <CheckRounds rounds={evidence.rounds} />
        </Section>
      )}
      {evidence.opinions.length > 0 && (
        <Section title={text.opinions} className="mb-2">
          <ul className="flex flex-col gap-3">
            {evidence.opinions.map((opinion) => (
              <li key={`${opinion.files.join()} ${opinion.summary}`}>
                <StateBadge state={opinion.judgement} />
                <p className="mt-1 break-words whitespace-pre-wrap">{opinion.summary}</p>
                <p className="font-mono text-xs break-all text-faint">{opinion.files.join(", ")}</p>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {notes.map((note) => (
        <p key={note} className="text-xs text-faint break-words">
          {note}
        </p>
      ))}
    </Card>
  );
}
