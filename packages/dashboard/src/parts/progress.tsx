import { type Tone, tones } from "@opentiger/schema";
import { toneFill } from "../theme/states.ts";
import { words } from "../words/words.ts";
import { classes } from "./classes.ts";

type Counts = Readonly<Record<Tone, number>> & { readonly total: number };

/** From what is done to what has not begun. */
const order: readonly Tone[] = ["done", "running", "blocked", "failed", "cancelled", "queued"];

/** How many tasks are in each state, as one bar, and in numbers. */
export function Progress({ counts, wide }: { counts: Counts; wide?: boolean }) {
  if (counts.total === 0) return <span className="text-faint">{words.loops.noTasks}</span>;
  const said = tones
    .filter((tone) => counts[tone] > 0)
    .map((tone) => `${counts[tone]} ${words.states.tones[tone]}`);
  return (
    <div className={classes("flex items-center gap-2.5", wide ? "w-full" : "w-36")} title={said.join(", ")}>
      <div
        role="img"
        aria-label={said.join(", ")}
        className="flex h-1.5 flex-1 gap-px overflow-hidden rounded-full bg-hover"
      >
        {order.map(
          (tone) =>
            counts[tone] > 0 && (
              <div key={tone} style={{ flexGrow: counts[tone] }} className={toneFill[tone]} />
            ),
        )}
      </div>
      <span className="numbers text-xs whitespace-nowrap text-soft">
        {counts.done}/{counts.total}
      </span>
    </div>
  );
}
