import type { Judgement } from "../../api/types.ts";
import { Card } from "../../parts/page.tsx";
import { words } from "../../words/words.ts";

/** What was found, by whom, and where. */
export function PointList({ points }: { points: Judgement["points"] }) {
  return (
    <Card>
      <ul className="divide-y divide-line">
        {points.map((point) => (
          <li key={`${point.by} ${point.file} ${point.line} ${point.text}`} className="px-4 py-3">
            <p className="mb-0.5 flex flex-wrap gap-x-2 text-xs text-faint">
              <span className="font-medium text-soft">{words.task.by[point.by]}</span>
              {point.file && (
                <code className="font-mono">
                  {point.file}
                  {point.line === null ? "" : `:${point.line}`}
                </code>
              )}
            </p>
            <p className="break-words whitespace-pre-wrap">{point.text}</p>
          </li>
        ))}
      </ul>
    </Card>
  );
}
