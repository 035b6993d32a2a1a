import { useParams } from "@tanstack/react-router";
import { Box } from "lucide-react";
import type { SandboxItem } from "../../api/sandboxes.ts";
import { ButtonLink } from "../../parts/button.tsx";
import { Facts } from "../../parts/facts.tsx";
import { EmptyState, ErrorNote, Loading, Note } from "../../parts/notes.tsx";
import { Page } from "../../parts/page.tsx";
import { type Tab, Tabs } from "../../parts/tabs.tsx";
import { RelativeTime } from "../../parts/time.tsx";
import { words } from "../../words/words.ts";
import { Cpu, Disk, Memory } from "../sandboxes/sandbox-figures.tsx";
import { ChangedFiles } from "./changed-files.tsx";
import { Network } from "./network.tsx";
import { Ports } from "./ports.tsx";
import { Processes } from "./processes.tsx";
import { SandboxActions } from "./sandbox-actions.tsx";
import { SandboxBadge } from "./sandbox-badge.tsx";
import { SandboxFacts } from "./sandbox-facts.tsx";
import { TerminalTab } from "./terminal-tab.tsx";
import { environmentOf, useIsRunning, useSandbox } from "./use-sandbox.ts";

const { sandboxes: text } = words;
const crumbs = [{ label: text.title, to: "/sandboxes" }] as const;

/** One sandbox: a terminal in it, what runs there, what it reaches and what it changed. */
export function SandboxPage() {
  const { name } = useParams({ from: "/sandboxes/$name" });
  const { sandbox, known, error } = useSandbox(name);
  if (sandbox) return <OneSandbox sandbox={sandbox} />;
  return (
    <Page title={name} crumbs={crumbs}>
      {known && (
        <EmptyState
          icon={Box}
          title={text.missing(name)}
          action={<ButtonLink to="/sandboxes">{text.back}</ButtonLink>}
        >
          {text.missingHint}
        </EmptyState>
      )}
      {!known && (error ? <ErrorNote error={error} /> : <Loading />)}
    </Page>
  );
}

function OneSandbox({ sandbox }: { sandbox: SandboxItem }) {
  const environment = environmentOf(sandbox);
  const running = useIsRunning(sandbox);
  const only = { name: sandbox.name, environment, running };
  const tabs: Tab[] = [
    { id: "terminal", label: text.terminal, content: () => <TerminalTab {...only} /> },
    { id: "processes", label: text.processes, content: () => <Processes {...only} /> },
    { id: "files", label: text.files, content: () => <ChangedFiles {...only} /> },
    { id: "details", label: text.details, content: () => <SandboxFacts sandbox={sandbox} /> },
  ];
  // What runs on the host has the host's network, which nobody checks.
  if (environment === "sandbox")
    tabs.splice(
      1,
      0,
      { id: "network", label: text.network, content: () => <Network name={sandbox.name} /> },
      { id: "ports", label: text.ports, content: () => <Ports name={sandbox.name} /> },
    );
  return (
    <Page
      wide
      title={sandbox.name}
      crumbs={crumbs}
      beside={<SandboxBadge sandbox={sandbox} />}
      lead={<span className="font-mono text-sm break-all">{sandbox.workspaces[0]?.path}</span>}
      actions={<SandboxActions sandbox={sandbox} />}
    >
      {sandbox.reason && (
        <div className="mb-4">
          <Note tone="blocked" title={sandbox.reason} />
        </div>
      )}
      <Facts
        facts={[
          { label: text.agent, value: sandbox.agent },
          { label: text.cpu, value: <Cpu sandbox={sandbox} /> },
          { label: text.memory, value: <Memory sandbox={sandbox} /> },
          { label: text.disk, value: <Disk sandbox={sandbox} /> },
          {
            label: text.policy,
            value: sandbox.network ? text.policies[sandbox.network] : words.common.dash,
          },
          { label: text.age, value: <RelativeTime at={sandbox.createdAt} /> },
        ]}
      />
      <Tabs label={text.tabs} tabs={tabs} />
    </Page>
  );
}
