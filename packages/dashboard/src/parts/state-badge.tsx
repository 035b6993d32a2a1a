import { toneOf } from "@opentiger/schema";
import { toneTint } from "../theme/states.ts";
import { words } from "../words/words.ts";
import { classes } from "./classes.ts";
import { StateIcon } from "./state-icon.tsx";

interface StateBadgeProps {
  state: string;
  label?: string;
  /** It was so, and is not happening now. */
  still?: boolean;
}

/** A state as the server calls it, in its colour, with its shape and in words. */
export function StateBadge({ state, label, still }: StateBadgeProps) {
  const tone = toneOf(state);
  return (
    <span
      data-state={state}
      className={classes(
        "inline-flex h-5.5 items-center gap-1.5 rounded-full pr-2 pl-1.5 text-xs font-medium whitespace-nowrap",
        toneTint[tone],
      )}
    >
      <StateIcon tone={tone} still={still} className="size-3" />
      {label ?? stateLabel(state)}
    </span>
  );
}

/** In words; one that has none is shown as it is. */
export function stateLabel(state: string): string {
  const names: Readonly<Record<string, string>> = { ...words.states.names, ...words.states.judgements };
  return names[state] ?? state.replaceAll("_", " ");
}
