import type { Tone } from "@opentiger/schema";
import { toneText } from "../theme/states.ts";
import { classes } from "./classes.ts";

interface StateIconProps {
  tone: Tone;
  className?: string;
  /** It was so, and is not happening now: nothing moves. */
  still?: boolean | undefined;
}

/** A shape a state, so that it is told without its colour too. */
export function StateIcon({ tone, className, still }: StateIconProps) {
  return (
    <svg
      viewBox="0 0 16 16"
      aria-hidden
      className={classes(
        "size-3.5 shrink-0",
        toneText[tone],
        tone === "running" && !still && "turning",
        className,
      )}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      {shapes[tone]}
    </svg>
  );
}

const disc = <circle cx="8" cy="8" r="7" fill="currentColor" stroke="none" />;
const onDisc = { stroke: "var(--color-surface)" };

const shapes = {
  queued: <circle cx="8" cy="8" r="6" strokeDasharray="2.2 2.5" />,
  running: (
    <>
      <circle cx="8" cy="8" r="6" opacity="0.25" />
      <path d="M8 2a6 6 0 0 1 6 6" />
    </>
  ),
  blocked: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M6.5 6v4M9.5 6v4" />
    </>
  ),
  done: (
    <>
      {disc}
      <path d="m5 8.2 2.1 2.1L11 6.2" {...onDisc} />
    </>
  ),
  failed: (
    <>
      {disc}
      <path d="m5.8 5.8 4.4 4.4M10.2 5.8l-4.4 4.4" {...onDisc} />
    </>
  ),
  cancelled: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="m4 12 8-8" />
    </>
  ),
} as const;
