import { Field, Input, Select } from "../../parts/field.tsx";
import { words } from "../../words/words.ts";
import type { Draft } from "./draft.ts";

const text = words.newLoop;

interface Choice {
  label: string;
  of: "agent" | "environment" | "network" | "projectNetwork";
  usual: string;
  options: Readonly<Record<string, string>>;
}

const choices: readonly Choice[] = [
  { label: text.agent, of: "agent", usual: text.agentUsual, options: words.states.agents },
  {
    label: text.environment,
    of: "environment",
    usual: text.environmentUsual,
    options: { sandbox: text.sandbox, host: text.host },
  },
  { label: text.network, of: "network", usual: text.networkUsual, options: text.policies },
  {
    label: text.projectNetwork,
    of: "projectNetwork",
    usual: text.projectNetworkUsual,
    options: text.projectNetworks,
  },
];

/** What may be left as the settings have it. */
export function LoopChoices({ draft, onChange }: { draft: Draft; onChange: (more: Partial<Draft>) => void }) {
  return (
    <>
      {choices.map(({ label, of, usual, options }) => (
        <Field key={of} label={label}>
          {(ids) => (
            <Select {...ids} value={draft[of]} onChange={(event) => onChange({ [of]: event.target.value })}>
              <option value="">{usual}</option>
              {Object.entries(options).map(([value, name]) => (
                <option key={value} value={value}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
      ))}
      <Field label={text.model} hint={text.modelHint}>
        {(ids) => (
          <Input
            {...ids}
            value={draft.model}
            spellCheck={false}
            onChange={(event) => onChange({ model: event.target.value })}
            className="font-mono"
          />
        )}
      </Field>
      <div className="grid grid-cols-2 gap-3">
        <Field label={text.budgetUsd}>
          {(ids) => (
            <Input
              {...ids}
              type="number"
              min="0"
              step="0.5"
              value={draft.usd}
              onChange={(event) => onChange({ usd: event.target.value })}
              className="numbers"
            />
          )}
        </Field>
        <Field label={text.budgetTokens}>
          {(ids) => (
            <Input
              {...ids}
              type="number"
              min="1000"
              step="1000"
              value={draft.tokens}
              onChange={(event) => onChange({ tokens: event.target.value })}
              className="numbers"
            />
          )}
        </Field>
      </div>
      <p className="-mt-2 text-xs text-faint">{text.budgetHint}</p>
    </>
  );
}
