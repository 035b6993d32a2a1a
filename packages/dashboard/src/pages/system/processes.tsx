import { useQuery } from "@tanstack/react-query";
import { Play, ScrollText, Square } from "lucide-react";
import { useState } from "react";
import { moveProcess, type Process, processesQuery } from "../../api/processes.ts";
import { Button } from "../../parts/button.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { StateBadge } from "../../parts/state-badge.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { RelativeTime } from "../../parts/time.tsx";
import { say } from "../../parts/toast.tsx";
import { useAction } from "../../parts/use-action.ts";
import { words } from "../../words/words.ts";
import { ProcessLog } from "./process-log.tsx";

const { systemParts: text } = words;

/** What works on loops: started, stopped and read here. */
export function Processes() {
  const query = useQuery(processesQuery);
  const [log, setLog] = useState<string>();
  return (
    <>
      <p className="mb-4 max-w-180 text-soft">{text.processesLead}</p>
      <QueryView query={query}>
        {({ items }) => (
          <Table label={text.processes} columns={columns(setLog)} rows={items} keyOf={({ name }) => name} />
        )}
      </QueryView>
      {log !== undefined && <ProcessLog name={log} onClose={() => setLog(undefined)} />}
    </>
  );
}

function columns(onLog: (name: string) => void): Column<Process>[] {
  return [
    { title: text.name, cell: ({ name }) => <span className="font-mono text-sm font-medium">{name}</span> },
    { title: text.state, cell: (process) => <ProcessState process={process} /> },
    {
      title: text.working,
      align: "right",
      cell: ({ working, state }) => (state === "running" ? working : words.common.dash),
    },
    { title: text.restarts, align: "right", wideOnly: true, cell: ({ restarts }) => restarts },
    { title: text.started, wideOnly: true, cell: ({ startedAt }) => <RelativeTime at={startedAt} /> },
    {
      title: text.version,
      wideOnly: true,
      cell: ({ version }) => <span className="numbers text-faint">{version ?? words.common.dash}</span>,
    },
    {
      title: text.actions,
      align: "right",
      cell: (process) => <ProcessActions process={process} onLog={onLog} />,
    },
  ];
}

function ProcessState({ process: { state, skipped, reason, nextTryAt } }: { process: Process }) {
  if (skipped)
    return (
      <div className="max-w-90">
        <StateBadge state="cancelled" label={text.states.skipped} />
        <p className="mt-1 text-xs text-faint">{reason}</p>
      </div>
    );
  return (
    <span className="flex flex-wrap items-center gap-2">
      <StateBadge state={state} still={state === "running"} label={text.states[state]} />
      {nextTryAt && (
        <span className="text-xs text-faint">
          {text.nextTry} <RelativeTime at={nextTryAt} />
        </span>
      )}
    </span>
  );
}

function ProcessActions({
  process: { name, state, skipped },
  onLog,
}: {
  process: Process;
  onLog: (name: string) => void;
}) {
  const start = useAction(() => moveProcess(name, "start"), { onDone: () => say(text.startedNow(name)) });
  const stop = useAction(() => moveProcess(name, "stop"), { onDone: () => say(text.stoppedNow(name)) });
  const rests = state === "stopped" || state === "failed";
  return (
    <span className="flex justify-end gap-1">
      <Button look="quiet" icon={ScrollText} label={`${text.log}: ${name}`} onClick={() => onLog(name)} />
      {rests ? (
        <Button
          look="quiet"
          icon={Play}
          label={`${text.start}: ${name}`}
          disabled={skipped}
          busy={start.isPending}
          onClick={() => start.mutate()}
        />
      ) : (
        <Button
          look="quiet"
          icon={Square}
          label={`${text.stop}: ${name}`}
          busy={stop.isPending}
          onClick={() => stop.mutate()}
        />
      )}
    </span>
  );
}
