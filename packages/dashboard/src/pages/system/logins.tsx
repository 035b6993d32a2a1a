import type { LoginAgent, LoginStatus } from "@opentiger/schema";
import { useQueries } from "@tanstack/react-query";
import { RotateCw } from "lucide-react";
import { loginQuery } from "../../api/logins.ts";
import type { Environment } from "../../api/sandboxes.ts";
import { Button } from "../../parts/button.tsx";
import { ErrorNote, Remedy } from "../../parts/notes.tsx";
import { Card, Section } from "../../parts/page.tsx";
import { StateBadge } from "../../parts/state-badge.tsx";
import { RelativeTime } from "../../parts/time.tsx";
import { words } from "../../words/words.ts";

const { system } = words;
const agents: readonly { agent: LoginAgent; label: string }[] = [
  { agent: "claude", label: words.states.agents.claude_code },
  { agent: "codex", label: words.states.agents.codex },
  { agent: "opencode", label: words.states.agents.opencode },
];
const environments: readonly Environment[] = ["host", "sandbox"];

/** Whether each agent could be used in each place, by proof, and what mends it where it cannot. */
export function Logins() {
  const rows = agents.flatMap(({ agent, label }) =>
    environments.map((environment) => ({ agent, label, environment })),
  );
  const queries = useQueries({ queries: rows.map((row) => loginQuery(row.agent, row.environment)) });
  const busy = queries.some(({ isFetching }) => isFetching);
  const checkAll = () => {
    for (const query of queries) void query.refetch();
  };
  return (
    <Section
      title={system.logins}
      className="mb-10"
      beside={
        <Button icon={RotateCw} busy={busy} onClick={checkAll}>
          {system.checkAll}
        </Button>
      }
    >
      <p className="-mt-2 mb-3 text-soft">{system.loginsLead}</p>
      <Card className="divide-y divide-line">
        {agents.map(({ agent, label }, index) => (
          <div key={agent} className="grid gap-x-6 gap-y-4 p-4 md:grid-cols-[9rem_1fr_1fr]">
            <h3 className="text-sm font-semibold">{label}</h3>
            {environments.map((environment, at) => {
              const query = queries[index * environments.length + at];
              return (
                <Login
                  key={environment}
                  label={label}
                  environment={environment}
                  status={query?.data}
                  error={query?.error}
                  busy={query?.isFetching ?? false}
                  onCheck={() => void query?.refetch()}
                />
              );
            })}
          </div>
        ))}
      </Card>
    </Section>
  );
}

interface LoginProps {
  label: string;
  environment: Environment;
  status: LoginStatus | undefined;
  error: unknown;
  busy: boolean;
  onCheck(): void;
}

function Login({ label, environment, status, error, busy, onCheck }: LoginProps) {
  const where = environment === "host" ? system.onHost : system.inSandbox;
  return (
    <div className="min-w-0" data-login={`${label} ${environment}`}>
      <div className="flex min-h-8 flex-wrap items-center gap-2">
        <span className="text-faint">{where}</span>
        {busy ? (
          <StateBadge state="running" label={system.checking} />
        ) : (
          status && <StateBadge {...badgeOf(status)} />
        )}
        {!busy && (
          <Button
            look="quiet"
            icon={RotateCw}
            label={`${system.check}: ${label}, ${where}`}
            onClick={onCheck}
            className="ml-auto"
          />
        )}
      </div>
      {status && (
        <p className="text-xs text-faint">
          {[status.version, status.method && system.with(status.method), system.checkedAt]
            .filter(Boolean)
            .join(" · ")}{" "}
          <RelativeTime at={status.checkedAt} />
        </p>
      )}
      {status?.problem && !busy && (
        <div className="mt-2 border-l-2 border-line-strong pl-3">
          <p className="break-words">{status.problem.message}</p>
          <div className="text-soft">
            <Remedy text={status.problem.remedy} />
          </div>
        </div>
      )}
      {!status && !busy && error !== null && error !== undefined && (
        <ErrorNote error={error} retry={onCheck} />
      )}
    </div>
  );
}

/** Unknown is shown as unknown, never as logged in. */
function badgeOf({ available, authenticated }: LoginStatus): { state: string; label: string } {
  if (!available) return { state: "cancelled", label: system.notAvailable };
  if (authenticated === null) return { state: "blocked", label: system.notKnown };
  return authenticated
    ? { state: "done", label: system.loggedIn }
    : { state: "failed", label: system.notLoggedIn };
}
