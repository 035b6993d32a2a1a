import { Link } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { useId, useState } from "react";
import type { JudgementItem } from "../../api/judgements.ts";
import { classes } from "../../parts/classes.ts";
import { StateBadge } from "../../parts/state-badge.tsx";
import { RelativeTime } from "../../parts/time.tsx";
import { writtenOut } from "../../parts/written-out.ts";
import { words } from "../../words/words.ts";
import { JudgementList } from "../task/judgement-list.tsx";

const { judgements: text } = words;

/** One judgement in a line; the evidence is folded below it. */
export function JudgementRow({ item }: { item: JudgementItem }) {
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <article>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2.5 sm:flex-nowrap">
        <button
          type="button"
          aria-expanded={open}
          aria-controls={id}
          aria-label={open ? text.hide : text.show}
          onClick={() => setOpen(!open)}
          className="grid size-6 shrink-0 place-items-center rounded-md text-faint hover:bg-hover hover:text-ink"
        >
          <ChevronRight aria-hidden className={classes("size-4 transition-transform", open && "rotate-90")} />
        </button>
        <StateBadge state={item.judgement} />
        <Link
          to="/tasks/$id"
          params={{ id: item.task }}
          className="min-w-0 flex-1 basis-60 truncate font-medium underline-offset-2 hover:underline"
        >
          {writtenOut(item.title)}
        </Link>
        <span className="numbers text-xs whitespace-nowrap text-soft">{said(item)}</span>
        <Link
          to="/loops/$id"
          params={{ id: item.loop }}
          className="font-mono text-xs text-faint underline-offset-2 hover:underline"
        >
          {item.loop}·{item.number}
        </Link>
        <span className="w-16 text-right text-xs text-faint">
          <RelativeTime at={item.at} />
        </span>
      </div>
      {open && (
        <div id={id} className="appearing border-t border-line bg-sunken px-4 pt-4 sm:pl-12">
          <JudgementList judgements={[item]} />
        </div>
      )}
    </article>
  );
}

/** The checks of the last round, and the points. */
function said({ evidence, points }: JudgementItem): string {
  const checks = evidence.rounds.at(-1)?.results ?? [];
  const red = checks.filter(({ result }) => result !== "passed").length;
  return [
    checks.length > 0 && `${text.checks(checks.length)}, ${red === 0 ? text.allGreen : text.red(red)}`,
    points.length > 0 && text.points(points.length),
  ]
    .filter(Boolean)
    .join(" · ");
}
