import { type SubmitEvent, useId, useState } from "react";
import { changeNetwork, type NetworkChange, type NetworkSettings } from "../../api/sandbox-network.ts";
import { Button } from "../../parts/button.tsx";
import { classes } from "../../parts/classes.ts";
import { Field, Input, Select } from "../../parts/field.tsx";
import { Card } from "../../parts/page.tsx";
import { useAction } from "../../parts/use-action.ts";
import { words } from "../../words/words.ts";

const { sandbox: text, sandboxes } = words;
const policies = ["allow", "balanced", "deny"] as const;

/** The policy and the rules beside it, from the next connection on. */
export function NetworkRules({ name, settings }: { name: string; settings: NetworkSettings }) {
  const [host, setHost] = useState("");
  const rules = useId();
  const policy = useAction((asked: (typeof policies)[number]) => changeNetwork(name, { policy: asked }), {
    done: text.policyChanged,
  });
  const change = useAction((asked: NetworkChange) => changeNetwork(name, asked), {
    onDone: () => setHost(""),
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    change.mutate({ allowHost: [host.trim()] });
  };
  const all = [
    ...[...settings.allowHosts, ...settings.allowCidrs].map((rule) => ({ rule, allows: true })),
    ...[...settings.blockHosts, ...settings.blockCidrs].map((rule) => ({ rule, allows: false })),
  ];
  return (
    <Card className="mb-8 grid gap-x-8 gap-y-5 p-4 md:grid-cols-2">
      <Field label={text.policy} hint={text.policyHint[settings.policy]}>
        {(ids) => (
          <Select
            {...ids}
            value={settings.policy}
            disabled={policy.isPending || settings.policy === "open"}
            onChange={({ target }) => {
              const asked = policies.find((each) => each === target.value);
              if (asked) policy.mutate(asked);
            }}
          >
            {settings.policy === "open" && <option value="open">{sandboxes.policies.open}</option>}
            {policies.map((each) => (
              <option key={each} value={each}>
                {sandboxes.policies[each]}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <form onSubmit={submit}>
        <Field label={text.allowHost} hint={text.allowHostHint}>
          {(ids) => (
            <span className="flex gap-2">
              <Input
                {...ids}
                value={host}
                onChange={(event) => setHost(event.target.value)}
                className="font-mono"
                autoComplete="off"
                spellCheck={false}
              />
              <Button type="submit" busy={change.isPending} disabled={host.trim() === ""} className="h-9">
                {words.common.add}
              </Button>
            </span>
          )}
        </Field>
      </form>
      <div className="md:col-span-2">
        <p id={rules} className="mb-1.5 font-medium">
          {text.rules}
        </p>
        {all.length === 0 && <p className="text-faint">{text.noRules}</p>}
        <ul aria-labelledby={rules} className="flex flex-wrap gap-1.5">
          {all.map(({ rule, allows }) => (
            <li
              key={rule}
              className={classes(
                "rounded-full px-2.5 py-0.5 font-mono text-xs",
                allows ? "bg-done-tint text-done" : "bg-failed-tint text-failed",
              )}
            >
              <span className="sr-only">{allows ? text.ruleAllow : text.ruleBlock} </span>
              {rule}
            </li>
          ))}
        </ul>
      </div>
    </Card>
  );
}
