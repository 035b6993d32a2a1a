import { useEffect, useRef, useState } from "react";
import { type ImageBuild, stopBuild } from "../../api/image-build.ts";
import { Button } from "../../parts/button.tsx";
import { Remedy } from "../../parts/notes.tsx";
import { Card } from "../../parts/page.tsx";
import { StateIcon } from "../../parts/state-icon.tsx";
import { useAction } from "../../parts/use-action.ts";
import { words } from "../../words/words.ts";

const { system } = words;
const tones = { building: "running", built: "done", failed: "failed", stopped: "cancelled" } as const;

/** How far a build is, live, and what came of it. */
export function ImageBuildView({ build }: { build: ImageBuild }) {
  const [shown, setShown] = useState(false);
  const stop = useAction(stopBuild);
  const { state, step, steps, text, failure, lines } = build;
  const building = state === "building";
  return (
    <Card className="mb-3 p-4">
      <div className="flex flex-wrap items-center gap-3">
        <StateIcon tone={tones[state]} className="size-4" />
        <p className="flex-1 font-medium" role="status">
          {titleOf(build)}
        </p>
        <Button look="quiet" onClick={() => setShown(!shown)} aria-expanded={shown}>
          {shown ? system.hideOutput : system.showOutput}
        </Button>
        {building && (
          <Button busy={stop.isPending} onClick={() => stop.mutate()}>
            {system.stopBuild}
          </Button>
        )}
      </div>
      {building && (
        <>
          <div
            role="progressbar"
            aria-label={system.building}
            aria-valuemin={0}
            aria-valuemax={steps}
            aria-valuenow={step}
            className="mt-3 h-1.5 overflow-hidden rounded-full bg-sunken"
          >
            <div
              className="h-full rounded-full bg-running transition-[width] duration-300"
              style={{ width: `${steps === 0 ? 2 : Math.max(2, (100 * step) / steps)}%` }}
            />
          </div>
          {text && <p className="mt-2 truncate font-mono text-xs text-soft">{text}</p>}
        </>
      )}
      <p className="mt-2 flex flex-wrap justify-between gap-x-4 text-xs text-faint">
        <span className="numbers">{steps > 0 ? system.step(step, steps) : building && system.preparing}</span>
        {building && <span>{system.buildLasts}</span>}
      </p>
      {failure && (
        <div className="mt-2 text-soft">
          <p className="break-words">{failure.message}</p>
          {failure.remedy && <Remedy text={failure.remedy} />}
        </div>
      )}
      {shown && <Output lines={lines} />}
    </Card>
  );
}

/** Stays at its end while lines come, as a terminal does. */
function Output({ lines }: { lines: readonly string[] }) {
  const box = useRef<HTMLPreElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever there are more lines
  useEffect(() => {
    box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [lines]);
  return (
    <pre
      ref={box}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, which has to work without a mouse
      tabIndex={0}
      role="log"
      aria-label={system.buildOutput}
      className="mt-3 max-h-72 overflow-auto rounded-md bg-sunken p-3 font-mono text-xs whitespace-pre-wrap text-soft"
    >
      {lines.join("\n")}
    </pre>
  );
}

function titleOf({ state, unchanged }: ImageBuild): string {
  if (state === "building") return system.building;
  if (state === "failed") return system.buildFailed;
  if (state === "stopped") return system.buildStopped;
  return unchanged ? system.unchanged : system.built;
}
