import type { Role } from "@opentiger/schema";
import { type SubmitEvent, useState } from "react";
import { patchConfig } from "../../api/system.ts";
import type { Config } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { Input, Select } from "../../parts/field.tsx";
import { Card } from "../../parts/page.tsx";
import { say } from "../../parts/toast.tsx";
import { useAction } from "../../parts/use-action.ts";
import { words } from "../../words/words.ts";
import { keyOf, roles, setting } from "./role-settings.ts";

const { agents: text, states } = words;

/** Which agent and model each role has. What the environment says cannot be changed here. */
export function RoleTable({ config }: { config: Config }) {
  return (
    <Card className="divide-y divide-line">
      {roles.map((role) => {
        const model = String(setting(config, keyOf(role, "MODEL"))?.value ?? "");
        return <RoleRow key={`${role} ${model}`} role={role} model={model} config={config} />;
      })}
    </Card>
  );
}

function RoleRow({ role, model, config }: { role: Role; model: string; config: Config }) {
  const [draft, setDraft] = useState(model);
  const agent = setting(config, keyOf(role, "AGENT"));
  const pinnedModel = setting(config, keyOf(role, "MODEL"))?.pinned ?? false;
  const change = useAction((patch: Record<string, unknown>) => patchConfig(patch), {
    onDone: () => say(text.saved(states.roles[role])),
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    change.mutate({ [keyOf(role, "MODEL")]: draft.trim() === "" ? null : draft.trim() });
  };
  return (
    <form
      onSubmit={submit}
      className="grid items-center gap-x-4 gap-y-2 px-4 py-2.5 sm:grid-cols-[7rem_1fr_1fr]"
    >
      <h3 className="font-medium">{states.roles[role]}</h3>
      <Select
        aria-label={`${states.roles[role]}: ${text.agent}`}
        value={String(agent?.value ?? "")}
        disabled={agent?.pinned || change.isPending}
        title={agent?.pinned ? text.pinned : undefined}
        onChange={(event) => change.mutate({ [keyOf(role, "AGENT")]: event.target.value })}
      >
        {agent?.choices?.map((kind) => (
          <option key={kind} value={kind}>
            {agentName(kind)}
          </option>
        ))}
      </Select>
      <span className="flex gap-2">
        <Input
          aria-label={`${states.roles[role]}: ${text.model}`}
          value={draft}
          disabled={pinnedModel}
          title={pinnedModel ? text.pinned : text.modelHint}
          placeholder={text.ownChoice}
          onChange={(event) => setDraft(event.target.value)}
          className="font-mono"
          autoComplete="off"
          spellCheck={false}
        />
        {draft !== model && (
          <Button type="submit" look="primary" busy={change.isPending} className="h-9">
            {words.common.save}
          </Button>
        )}
      </span>
    </form>
  );
}

function agentName(kind: string): string {
  const names: Readonly<Record<string, string>> = states.agents;
  return names[kind] ?? kind;
}
