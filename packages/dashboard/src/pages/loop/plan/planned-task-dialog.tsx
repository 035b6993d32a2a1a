import type { PlannedTask } from "@opentiger/schema";
import { Trash2 } from "lucide-react";
import { useState } from "react";
import { Button } from "../../../parts/button.tsx";
import { Dialog } from "../../../parts/dialog.tsx";
import { Field, Input, Select, TextArea } from "../../../parts/field.tsx";
import { words } from "../../../words/words.ts";

const text = words.loop.plan;
const roles = ["worker", "tester", "docser"] as const;
const risks = ["low", "medium", "high"] as const;

interface PlannedTaskDialogProps {
  task: PlannedTask;
  isNew: boolean;
  onClose(): void;
  onSave(task: PlannedTask): void;
  onRemove(): void;
}

/** Everything of one planned task that a person may want otherwise. */
export function PlannedTaskDialog({ task, isNew, onClose, onSave, onRemove }: PlannedTaskDialogProps) {
  const [draft, setDraft] = useState(task);
  const [needs, setNeeds] = useState(task.needs.join(", "));
  const [paths, setPaths] = useState(task.allowedPaths.join("\n"));
  const change = (more: Partial<PlannedTask>) => setDraft((old) => ({ ...old, ...more }));
  const whole = {
    ...draft,
    needs: parts(needs, ","),
    allowedPaths: parts(paths, "\n"),
  };
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={isNew ? text.add : text.edit}
      actions={
        <>
          {!isNew && (
            <Button look="danger" icon={Trash2} onClick={onRemove} className="mr-auto">
              {text.remove}
            </Button>
          )}
          <Button onClick={onClose}>{words.common.cancel}</Button>
          <Button
            look="primary"
            disabled={draft.title.trim() === "" || draft.instructions.trim() === "" || draft.key === ""}
            onClick={() => onSave(whole)}
          >
            {words.common.save}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Field label={text.titleField}>
          {(ids) => (
            <Input {...ids} value={draft.title} onChange={(event) => change({ title: event.target.value })} />
          )}
        </Field>
        <Field label={text.instructions}>
          {(ids) => (
            <TextArea
              {...ids}
              rows={8}
              value={draft.instructions}
              onChange={(event) => change({ instructions: event.target.value })}
            />
          )}
        </Field>
        <div className="grid gap-4 sm:grid-cols-3">
          <Field label={text.key} hint={text.keyHint}>
            {(ids) => (
              <Input
                {...ids}
                value={draft.key}
                onChange={(event) => change({ key: event.target.value })}
                className="font-mono"
              />
            )}
          </Field>
          <Field label={words.loop.role}>
            {(ids) => (
              <Select
                {...ids}
                value={draft.role}
                onChange={({ target }) =>
                  change({ role: roles.find((role) => role === target.value) ?? "worker" })
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
                value={draft.risk}
                onChange={({ target }) =>
                  change({ risk: risks.find((risk) => risk === target.value) ?? "low" })
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
        <Field label={text.needs} hint={text.needsHint}>
          {(ids) => (
            <Input
              {...ids}
              value={needs}
              onChange={({ target }) => setNeeds(target.value)}
              className="font-mono"
            />
          )}
        </Field>
        <Field label={text.paths} hint={text.pathsHint}>
          {(ids) => (
            <TextArea
              {...ids}
              rows={3}
              value={paths}
              onChange={({ target }) => setPaths(target.value)}
              className="font-mono"
            />
          )}
        </Field>
      </div>
    </Dialog>
  );
}

function parts(written: string, between: string): string[] {
  return written
    .split(between)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
