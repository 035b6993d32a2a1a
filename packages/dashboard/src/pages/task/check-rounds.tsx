import type { CheckResult, CheckRound, Tone } from "@opentiger/schema";
import { ChevronRight } from "lucide-react";
import { Ansi } from "../../parts/ansi.tsx";
import { Card } from "../../parts/page.tsx";
import { StateIcon } from "../../parts/state-icon.tsx";
import { duration } from "../../parts/time.tsx";
import { words } from "../../words/words.ts";

const text = words.task;
const toneOfResult: Readonly<Record<CheckResult["result"], Tone>> = {
  passed: "done",
  failed: "failed",
  skipped: "cancelled",
  missing: "failed",
};

/** Every check that the judge ran, on which tree, with the end of what it printed. */
export function CheckRounds({ rounds }: { rounds: readonly CheckRound[] }) {
  return rounds.map((round) => (
    <div key={`${round.tree} ${round.commit}`} className="mb-3">
      <p className="mb-1 text-xs text-faint">
        {text.trees[round.tree]} · <code className="font-mono">{round.commit.slice(0, 10)}</code>
      </p>
      <Card className="divide-y divide-line">
        {round.results.map((result) => (
          <Check key={`${result.command} ${result.test}`} result={result} />
        ))}
      </Card>
    </div>
  ));
}

function Check({ result }: { result: CheckResult }) {
  const head = (
    <>
      <StateIcon tone={toneOfResult[result.result]} />
      <code className="min-w-0 flex-1 truncate font-mono text-xs">{result.test ?? result.command}</code>
      <span className="text-xs text-faint">{text.results[result.result]}</span>
      <span className="numbers text-xs text-faint">{duration(result.durationMs)}</span>
    </>
  );
  if (result.output.trim() === "")
    return <div className="flex items-center gap-2.5 px-3 py-2 pl-8">{head}</div>;
  return (
    <details className="group" open={result.result === "failed"}>
      <summary className="flex cursor-pointer list-none items-center gap-2 px-3 py-2 hover:bg-hover">
        <ChevronRight
          aria-hidden
          className="size-3 shrink-0 text-faint transition-transform group-open:rotate-90"
        />
        {head}
      </summary>
      <pre className="max-h-96 overflow-auto border-t border-line bg-sunken px-4 py-3 font-mono text-xs whitespace-pre-wrap">
        <Ansi text={result.output} />
      </pre>
    </details>
  );
}
