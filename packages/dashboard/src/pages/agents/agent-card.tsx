import type { AgentKind, LoginAgent, LoginStatus, Role } from "@opentiger/schema";
import { useQuery } from "@tanstack/react-query";
import { loginQuery } from "../../api/logins.ts";
import type { Environment } from "../../api/sandboxes.ts";
import type { Config, UsageRows } from "../../api/types.ts";
import { Note, Remedy } from "../../parts/notes.tsx";
import { money, tokens } from "../../parts/numbers.tsx";
import { Card } from "../../parts/page.tsx";
import { StateBadge } from "../../parts/state-badge.tsx";
import { words } from "../../words/words.ts";
import { setting } from "./role-settings.ts";

const { agents: text, states, system } = words;
const logins: Readonly<Record<AgentKind, LoginAgent | undefined>> = {
  claude_code: "claude",
  codex: "codex",
  opencode: "opencode",
  command: undefined,
};

interface AgentCardProps {
  kind: AgentKind;
  config: Config;
  roles: readonly Role[];
  usage: UsageRows["items"][number] | undefined;
}

/** One agent: for what it is used, whether it can be, and what it has used. */
export function AgentCard({ kind, config, roles, usage }: AgentCardProps) {
  const login = logins[kind];
  const command = setting(config, "OPENTIGER_AGENT_COMMAND")?.value;
  return (
    <Card className="flex flex-col gap-3 p-4">
      <div>
        <h2 className="text-base font-semibold">{states.agents[kind]}</h2>
        <p className="text-soft">{text.about[kind]}</p>
      </div>
      <p className="flex flex-wrap items-center gap-1.5">
        <span className="text-faint">{text.usedFor}</span>
        {roles.length === 0 && <span className="text-faint">{text.notUsed}</span>}
        {roles.map((role) => (
          <span key={role} className="rounded-full bg-hover px-2 text-xs font-medium">
            {states.roles[role]}
          </span>
        ))}
      </p>
      {login && (
        <div className="flex flex-wrap gap-x-6 gap-y-2">
          <Standing agent={login} environment="host" label={text.host} />
          <Standing agent={login} environment="sandbox" label={text.sandbox} />
        </div>
      )}
      {kind === "command" &&
        (Array.isArray(command) && command.length > 0 ? (
          <code className="rounded-md bg-sunken px-2 py-1 font-mono text-xs break-all">
            {command.join(" ")}
          </code>
        ) : (
          roles.length > 0 && (
            <Note tone="blocked" title={text.commandMissing}>
              <Remedy text={text.commandRemedy} />
            </Note>
          )
        ))}
      <p className="numbers mt-auto flex justify-between border-t border-line pt-3 text-xs text-faint">
        <span>{text.lastDays}</span>
        <span className="text-soft">
          {usage
            ? `${text.runs(usage.runs)} · ${tokens(usage.total)} ${words.common.tokens} · ${money(usage.usd)}`
            : words.common.dash}
        </span>
      </p>
    </Card>
  );
}

function Standing({
  agent,
  environment,
  label,
}: {
  agent: LoginAgent;
  environment: Environment;
  label: string;
}) {
  const { data, isFetching } = useQuery(loginQuery(agent, environment));
  return (
    <span className="flex items-center gap-2" title={data?.problem?.message}>
      <span className="text-faint">{label}</span>
      {isFetching && !data ? (
        <StateBadge state="queued" label={system.checking} />
      ) : (
        data && <StateBadge {...badge(data)} />
      )}
    </span>
  );
}

function badge({ available, authenticated }: LoginStatus): { state: string; label: string } {
  if (!available) return { state: "cancelled", label: system.notAvailable };
  if (authenticated === null) return { state: "blocked", label: system.notKnown };
  return authenticated
    ? { state: "done", label: system.loggedIn }
    : { state: "failed", label: system.notLoggedIn };
}
