import { useQuery } from "@tanstack/react-query";
import { FileDiff } from "lucide-react";
import { changesQuery, type SandboxChanges } from "../../api/sandboxes.ts";
import { EmptyState } from "../../parts/notes.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { words } from "../../words/words.ts";
import { NotRunning, type SandboxTab } from "./not-running.tsx";

const { sandbox: text } = words;
type Changed = SandboxChanges["items"][number];

/** The files of the workspace that are not as they were. Their names are an agent's: shown as text. */
export function ChangedFiles({ name, environment, running }: SandboxTab) {
  const query = useQuery(changesQuery(name, environment, running));
  if (!running) return <NotRunning />;
  return <QueryView query={query}>{(changes) => <Changes changes={changes} />}</QueryView>;
}

function Changes({ changes: { base, items, cut } }: { changes: SandboxChanges }) {
  if (items.length === 0)
    return (
      <EmptyState icon={FileDiff} title={base === null ? text.noRepository : text.noChanges}>
        {base === null ? text.noRepositoryHint : text.noChangesHint}
      </EmptyState>
    );
  return (
    <>
      <p className="mb-3 text-soft">
        {text.changed(items.length)}{" "}
        {base !== null && (
          <code className="font-mono text-xs text-faint">{text.since(base.slice(0, 10))}</code>
        )}
        {cut && ` ${text.cut}`}
      </p>
      <Table label={text.path} columns={columns} rows={items} keyOf={({ path }) => path} />
    </>
  );
}

/** As diffs have it: what is new is green, what is gone is red. */
const tints = {
  added: "bg-done-tint text-done",
  untracked: "bg-done-tint text-done",
  modified: "bg-running-tint text-running",
  type: "bg-blocked-tint text-blocked",
  deleted: "bg-failed-tint text-failed",
} as const;

const columns: readonly Column<Changed>[] = [
  {
    title: text.change,
    className: "w-28",
    cell: ({ status }) => (
      <span className={`rounded-full px-2 py-0.5 text-xs font-medium whitespace-nowrap ${tints[status]}`}>
        {text.changes[status]}
      </span>
    ),
  },
  { title: text.path, cell: ({ path }) => <code className="font-mono text-xs break-all">{path}</code> },
  {
    title: text.lines,
    align: "right",
    cell: ({ added, removed }) =>
      added === null || removed === null ? (
        words.common.dash
      ) : (
        <span className="font-mono text-xs">
          <span className="text-done">+{added}</span> <span className="text-failed">−{removed}</span>
        </span>
      ),
  },
];
