import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Box } from "lucide-react";
import { type SandboxItem, sandboxesQuery } from "../../api/sandboxes.ts";
import { CopyText } from "../../parts/copy-text.tsx";
import { EmptyState, ErrorNote } from "../../parts/notes.tsx";
import { Page } from "../../parts/page.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { type Column, rowLink, Table } from "../../parts/table.tsx";
import { RelativeTime } from "../../parts/time.tsx";
import { words } from "../../words/words.ts";
import { SandboxBadge } from "../sandbox/sandbox-badge.tsx";
import { environmentOf } from "../sandbox/use-sandbox.ts";
import { Cpu, Disk, Memory } from "./sandbox-figures.tsx";

const { sandboxes: text } = words;

/** All sandboxes of this machine, with what they use. */
export function SandboxesPage() {
  const docker = useQuery(sandboxesQuery("sandbox"));
  const host = useQuery(sandboxesQuery("host"));
  const others = host.data?.items ?? [];
  return (
    <Page title={text.title} lead={text.lead} wide>
      {docker.error && docker.data === undefined && others.length > 0 && (
        <div className="mb-4">
          <ErrorNote error={docker.error} retry={() => void docker.refetch()} />
        </div>
      )}
      {docker.data === undefined && others.length > 0 ? (
        <SandboxList items={others} />
      ) : (
        <QueryView query={docker}>{({ items }) => <SandboxList items={[...items, ...others]} />}</QueryView>
      )}
    </Page>
  );
}

function SandboxList({ items }: { items: readonly SandboxItem[] }) {
  if (items.length === 0)
    return (
      <EmptyState icon={Box} title={text.empty} action={<CopyText text={text.emptyCommand} />}>
        {text.emptyHint}
      </EmptyState>
    );
  const newest = items.toSorted((one, other) => other.createdAt.localeCompare(one.createdAt));
  return (
    <Table
      label={text.list}
      columns={columns}
      rows={newest}
      keyOf={({ id, backend }) => `${backend} ${id}`}
    />
  );
}

const columns: readonly Column<SandboxItem>[] = [
  {
    title: text.name,
    cell: (sandbox) => (
      <div className="min-w-32">
        {sandbox.own ? (
          <Link to="/sandboxes/$name" params={{ name: sandbox.name }} className={rowLink}>
            {sandbox.name}
          </Link>
        ) : (
          <span className="font-medium">{sandbox.name}</span>
        )}
        <p
          className="max-w-40 truncate sm:max-w-80 font-mono text-xs text-faint"
          title={sandbox.workspaces[0]?.path}
        >
          {sandbox.own ? sandbox.workspaces[0]?.path : text.foreign}
        </p>
      </div>
    ),
  },
  { title: text.state, cell: (sandbox) => <SandboxBadge sandbox={sandbox} /> },
  { title: text.agent, wideOnly: true, cell: ({ agent }) => agent },
  {
    title: text.policy,
    wideOnly: true,
    cell: (sandbox) => {
      if (environmentOf(sandbox) === "host") return <span className="text-faint">{text.onHost}</span>;
      return sandbox.network ? text.policies[sandbox.network] : words.common.dash;
    },
  },
  { title: text.cpu, align: "right", wideOnly: true, cell: (sandbox) => <Cpu sandbox={sandbox} /> },
  { title: text.memory, align: "right", cell: (sandbox) => <Memory sandbox={sandbox} /> },
  { title: text.disk, align: "right", wideOnly: true, cell: (sandbox) => <Disk sandbox={sandbox} /> },
  {
    title: text.age,
    align: "right",
    wideOnly: true,
    cell: ({ createdAt }) => (
      <span className="text-soft">
        <RelativeTime at={createdAt} />
      </span>
    ),
  },
];
