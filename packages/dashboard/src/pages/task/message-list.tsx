import type { TaskMessage } from "../../api/types.ts";
import { Card, Section } from "../../parts/page.tsx";
import { RelativeTime } from "../../parts/time.tsx";
import { words } from "../../words/words.ts";

const text = words.task;

/** What people said to the task, the newest first, and whether an agent has heard it. */
export function MessageList({ messages }: { messages: readonly TaskMessage[] }) {
  if (messages.length === 0) return null;
  return (
    <Section title={text.messages}>
      <Card>
        <ul className="divide-y divide-line">
          {messages.toReversed().map(({ id, file, line, text: said, at, run, givenAt }) => (
            <li key={id} className="px-4 py-3">
              <p className="mb-0.5 flex flex-wrap gap-x-2 text-xs text-faint">
                <RelativeTime at={at} />
                {file && (
                  <code className="font-mono">
                    {file}
                    {line === null ? "" : `:${line}`}
                  </code>
                )}
                <span>{standing(run, givenAt)}</span>
              </p>
              <p className="break-words whitespace-pre-wrap">{said}</p>
            </li>
          ))}
        </ul>
      </Card>
    </Section>
  );
}

/** What came with work that was sent back is a point for the next run, and no run's before that. */
function standing(run: string | null, givenAt: string | null): string {
  if (givenAt === null) return text.waits;
  return run === null ? text.asPoint : text.given;
}
