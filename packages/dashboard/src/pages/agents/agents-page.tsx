import type { AgentKind } from "@opentiger/schema";
import { useQuery } from "@tanstack/react-query";
import { configQuery, usageQuery } from "../../api/system.ts";
import type { Config } from "../../api/types.ts";
import { ButtonLink } from "../../parts/button.tsx";
import { Page, Section } from "../../parts/page.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { words } from "../../words/words.ts";
import { AgentCard } from "./agent-card.tsx";
import { agentOf, roles } from "./role-settings.ts";
import { RoleTable } from "./role-table.tsx";

const { agents: text } = words;
const kinds: readonly AgentKind[] = ["claude_code", "codex", "opencode", "command"];

/** The agents, what each is used for and has used, and which role has which. */
export function AgentsPage() {
  const config = useQuery(configQuery);
  return (
    <Page title={text.title} lead={text.lead} actions={<ButtonLink to="/system">{text.logins}</ButtonLink>}>
      <QueryView query={config}>{(settings) => <Agents config={settings} />}</QueryView>
    </Page>
  );
}

function Agents({ config }: { config: Config }) {
  const usage = useQuery(usageQuery("agent"));
  return (
    <>
      <div className="mb-10 grid gap-3 md:grid-cols-2">
        {kinds.map((kind) => (
          <AgentCard
            key={kind}
            kind={kind}
            config={config}
            roles={roles.filter((role) => agentOf(config, role) === kind)}
            usage={usage.data?.items.find(({ key }) => key === kind)}
          />
        ))}
      </div>
      <Section title={text.roles}>
        <p className="-mt-2 mb-3 text-soft">{text.rolesLead}</p>
        <RoleTable config={config} />
      </Section>
    </>
  );
}
