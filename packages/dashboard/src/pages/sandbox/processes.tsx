import { useQuery } from "@tanstack/react-query";
import { Cpu } from "lucide-react";
import { execsQuery, type SandboxExecs, type SandboxStats, statsQuery } from "../../api/sandboxes.ts";
import { EmptyState } from "../../parts/notes.tsx";
import { bytes } from "../../parts/numbers.tsx";
import { Section } from "../../parts/page.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { StateBadge } from "../../parts/state-badge.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { RelativeTime } from "../../parts/time.tsx";
import { words } from "../../words/words.ts";
import { NotRunning, type SandboxTab } from "./not-running.tsx";

const { sandbox: text } = words;
type Process = SandboxStats["processes"][number];
type Exec = SandboxExecs["items"][number];

/** What runs inside now, and the commands that were started there. */
export function Processes({ name, environment, running }: SandboxTab) {
  const stats = useQuery(statsQuery(name, environment, running));
  const execs = useQuery(execsQuery(name, environment, running));
  if (!running) return <NotRunning />;
  return (
    <>
      <Section title={text.running}>
        <QueryView query={stats}>
          {({ processes }) =>
            processes.length === 0 ? (
              <EmptyState icon={Cpu} title={text.noProcesses} />
            ) : (
              <Table
                label={text.running}
                columns={columns}
                rows={byPid(processes)}
                keyOf={({ pid }) => pid}
              />
            )
          }
        </QueryView>
      </Section>
      <Section title={text.commands} beside={<span className="text-faint">{text.commandsHint}</span>}>
        <QueryView query={execs}>
          {({ items }) =>
            items.length === 0 ? (
              <p className="text-soft">{text.noCommands}</p>
            ) : (
              <Table
                label={text.commands}
                columns={execColumns}
                rows={newest(items)}
                keyOf={({ id }) => id}
              />
            )
          }
        </QueryView>
      </Section>
    </>
  );
}

function byPid(processes: readonly Process[]): Process[] {
  return processes.toSorted((one, other) => one.pid - other.pid);
}

function newest(items: readonly Exec[]): Exec[] {
  return items.toSorted((one, other) => other.startedAt.localeCompare(one.startedAt));
}

const columns: readonly Column<Process>[] = [
  { title: text.pid, align: "right", className: "w-16", cell: ({ pid }) => pid },
  { title: text.user, align: "right", wideOnly: true, className: "w-16", cell: ({ uid }) => uid },
  { title: text.processState, wideOnly: true, className: "w-16", cell: ({ state }) => state },
  { title: text.memory, align: "right", className: "w-24", cell: ({ rssBytes }) => bytes(rssBytes) },
  { title: text.command, cell: ({ command }) => <Command text={command} /> },
];

const execColumns: readonly Column<Exec>[] = [
  { title: text.command, cell: ({ command }) => <Command text={command.join(" ")} /> },
  { title: text.exit, cell: ({ exit }) => <Exit exit={exit} /> },
  {
    title: text.output,
    align: "right",
    wideOnly: true,
    cell: ({ stdout, stderr }) => bytes(stdout + stderr),
  },
  { title: text.startedAt, align: "right", cell: ({ startedAt }) => <RelativeTime at={startedAt} /> },
];

function Command({ text: line }: { text: string }) {
  return (
    <code className="line-clamp-2 min-w-50 font-mono text-xs break-all" title={line}>
      {line}
    </code>
  );
}

function Exit({ exit }: { exit: Exec["exit"] }) {
  if (!exit) return <StateBadge state="running" label={text.stillRunning} />;
  const said = exit.code === null ? (exit.signal ?? exit.reason) : String(exit.code);
  return <StateBadge state={exit.code === 0 ? "done" : "failed"} label={said} />;
}
