import { PlugZap } from "lucide-react";
import { useConnection } from "../live/live.tsx";
import { Button } from "../parts/button.tsx";
import { classes } from "../parts/classes.ts";
import { words } from "../words/words.ts";

const { shell } = words;
const labels = {
  live: shell.live,
  connecting: shell.connecting,
  lost: shell.lost,
  refused: shell.refused,
} as const;
const colours = {
  live: "bg-done",
  connecting: "bg-queued",
  lost: "bg-failed",
  refused: "bg-blocked",
} as const;

/** Whether what is seen is what is. */
export function ConnectionMark() {
  const { state } = useConnection();
  return (
    <span
      role="status"
      data-connection={state}
      className="flex items-center gap-1.5 px-1 text-xs font-medium text-soft"
    >
      <span className={classes("size-2 rounded-full", colours[state])} />
      {labels[state]}
    </span>
  );
}

/** Nobody should act on what is old without knowing it. */
export function ConnectionBanner() {
  const { state, retry } = useConnection();
  if (state !== "lost" && state !== "refused") return null;
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line bg-blocked-tint px-4 py-2 text-sm text-blocked sm:px-8"
    >
      <PlugZap aria-hidden className="size-4 shrink-0" />
      <span className="flex-1 font-medium">
        {state === "lost" ? (
          shell.lostBanner
        ) : (
          <>
            {words.errors.login}. {words.errors.loginHint}{" "}
            <code className="font-mono text-xs">{words.errors.loginCommand}</code>
          </>
        )}
      </span>
      <Button onClick={retry}>{shell.retryNow}</Button>
    </div>
  );
}
