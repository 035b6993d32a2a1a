import { useQuery } from "@tanstack/react-query";
import { Box, type LucideIcon, Server } from "lucide-react";
import { useState } from "react";
import { configQuery, patchConfig } from "../../api/system.ts";
import type { Config } from "../../api/types.ts";
import { classes } from "../../parts/classes.ts";
import { Confirm } from "../../parts/dialog.tsx";
import { Note, Remedy } from "../../parts/notes.tsx";
import { Section } from "../../parts/page.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { RelativeTime } from "../../parts/time.tsx";
import { useAction } from "../../parts/use-action.ts";
import { words } from "../../words/words.ts";

const { system } = words;
const key = "EXECUTION_ENVIRONMENT";
type Environment = "host" | "sandbox";

const choices: readonly { value: Environment; icon: LucideIcon; points: readonly string[] }[] = [
  { value: "sandbox", icon: Box, points: system.sandboxPoints },
  { value: "host", icon: Server, points: system.hostPoints },
];
const means = { host: system.hostMeans, sandbox: system.sandboxMeans } as const;
const consequences = { host: system.toHost, sandbox: system.toSandbox } as const;

/** Contract A3: the selector. What will change is said before it does. */
export function EnvironmentChoice() {
  const query = useQuery(configQuery);
  return <QueryView query={query}>{(config) => <Choice config={config} />}</QueryView>;
}

function Choice({ config }: { config: Config }) {
  const [wanted, setWanted] = useState<Environment>();
  const entry = config.settings.find((setting) => setting.key === key);
  const given = entry?.source === "flag";
  const current: Environment = entry?.value === "host" ? "host" : "sandbox";
  const change = useAction((value: Environment) => patchConfig({ [key]: value }), {
    onDone: () => setWanted(undefined),
  });
  return (
    <Section className="mb-10">
      <fieldset disabled={entry?.pinned}>
        <legend className="float-left mb-3 font-mono text-base font-semibold">{system.environment}</legend>
        <p className="mb-3 text-sm leading-6 text-faint max-sm:clear-both sm:float-right">
          {system.environmentHint}
        </p>
        <div className="clear-both grid gap-3 md:grid-cols-2">
          {choices.map(({ value, icon, points }) => (
            <ChoiceCard
              key={value}
              value={value}
              icon={icon}
              points={points}
              checked={current === value}
              onChoose={() => value !== current && setWanted(value)}
            />
          ))}
        </div>
      </fieldset>
      <p className="mt-3 flex flex-wrap gap-x-2 text-xs text-faint">
        <code className="font-mono">{system.launchMode(config.launchMode)}</code>
        <span>{system.launchModeIs}</span>
        {entry?.updatedBy && (
          <span>
            · {system.setBy(entry.updatedBy)} <RelativeTime at={entry.updatedAt} />
          </span>
        )}
      </p>
      {entry?.pinned && (
        <div className="mt-3">
          <Note tone="blocked" title={given ? system.given : system.pinned}>
            <Remedy text={given ? system.givenRemedy(key) : system.pinnedRemedy(key)} />
          </Note>
        </div>
      )}
      {wanted && (
        <Confirm
          open
          onClose={() => setWanted(undefined)}
          title={system.changeTitle(words.states.environments[wanted])}
          lead={<Consequences of={wanted} />}
          confirm={system.change(words.states.environments[wanted])}
          look={wanted === "host" ? "danger" : "primary"}
          busy={change.isPending}
          onConfirm={() => change.mutate(wanted)}
        />
      )}
    </Section>
  );
}

interface ChoiceCardProps {
  value: Environment;
  icon: LucideIcon;
  points: readonly string[];
  checked: boolean;
  onChoose(): void;
}

function ChoiceCard({ value, icon: Icon, points, checked, onChoose }: ChoiceCardProps) {
  return (
    <label
      className={classes(
        "flex cursor-pointer gap-3 rounded-md border bg-surface p-4 shadow-raised transition-colors has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-brand has-disabled:cursor-default",
        checked ? "border-brand" : "border-line hover:border-line-strong",
      )}
    >
      <input
        type="radio"
        name={key}
        value={value}
        checked={checked}
        onChange={onChoose}
        className="mt-1 size-3.5 shrink-0 accent-(--color-brand) outline-none"
      />
      <span className="min-w-0 flex-1">
        <span className="flex flex-wrap items-center gap-2">
          <Icon aria-hidden className="size-4 text-soft" strokeWidth={1.75} />
          <span className="text-base font-semibold">{words.states.environments[value]}</span>
          {checked && (
            <span className="rounded-full bg-brand-tint px-2 text-xs font-medium text-brand-text">
              {system.inForce}
            </span>
          )}
          {!checked && value === "sandbox" && (
            <span className="text-xs text-faint">{system.recommended}</span>
          )}
        </span>
        <span className="mt-1 block">{means[value]}</span>
        <span className="mt-2 flex flex-col gap-1 text-sm text-soft">
          {points.map((point) => (
            <span key={point}>{point}</span>
          ))}
        </span>
      </span>
    </label>
  );
}

function Consequences({ of }: { of: Environment }) {
  return (
    <>
      <p>{system.changeLead}</p>
      <ul className="mt-3 flex list-disc flex-col gap-1.5 pl-4 text-ink marker:text-faint">
        {consequences[of].map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </>
  );
}
