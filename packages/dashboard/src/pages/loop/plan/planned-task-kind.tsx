import type { PlannedTask } from "@opentiger/schema";
import { Field, Input, Select } from "../../../parts/field.tsx";
import { words } from "../../../words/words.ts";

const text = words.loop.plan;
const roles = ["worker", "tester", "docser"] as const;
const risks = ["low", "medium", "high"] as const;

interface PlannedTaskKindProps {
  task: PlannedTask;
  onChange(more: Partial<PlannedTask>): void;
}

/** What is said of a task in a word: its name, whose it is, how risky and how long. */
export function PlannedTaskKind({ task, onChange }: PlannedTaskKindProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field label={text.key} hint={text.keyHint}>
        {(ids) => (
          <Input
            {...ids}
            value={task.key}
            onChange={({ target }) => onChange({ key: target.value })}
            className="font-mono"
          />
        )}
      </Field>
      <Field label={text.estimate} hint={text.estimateHint}>
        {(ids) => (
          <Input
            {...ids}
            maxLength={100}
            value={task.estimate ?? ""}
            onChange={({ target }) => onChange({ estimate: target.value === "" ? null : target.value })}
          />
        )}
      </Field>
      <Field label={words.loop.role}>
        {(ids) => (
          <Select
            {...ids}
            value={task.role}
            onChange={({ target }) =>
              onChange({ role: roles.find((role) => role === target.value) ?? "worker" })
            }
          >
            {roles.map((role) => (
              <option key={role} value={role}>
                {words.states.roles[role]}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label={text.risk}>
        {(ids) => (
          <Select
            {...ids}
            value={task.risk}
            onChange={({ target }) =>
              onChange({ risk: risks.find((risk) => risk === target.value) ?? "low" })
            }
          >
            {risks.map((risk) => (
              <option key={risk} value={risk}>
                {text.risks[risk]}
              </option>
            ))}
          </Select>
        )}
      </Field>
    </div>
  );
}
