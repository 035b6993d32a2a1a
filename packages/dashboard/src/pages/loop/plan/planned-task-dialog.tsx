import type { PlannedTask } from "@opentiger/schema";
import { Trash2 } from "lucide-react";
import { useState } from "react";
import { Button } from "../../../parts/button.tsx";
import { Dialog } from "../../../parts/dialog.tsx";
import { Field, Input, TextArea } from "../../../parts/field.tsx";
import { words } from "../../../words/words.ts";
import { commandsOf, partsOf } from "./plan-changes.ts";
import { PlannedTaskKind } from "./planned-task-kind.tsx";

const text = words.loop.plan;

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
  const [mayChange, setMayChange] = useState(task.mayChange.join("\n"));
  const [verify, setVerify] = useState(task.verify.map(({ command }) => command).join("\n"));
  const change = (more: Partial<PlannedTask>) => setDraft((old) => ({ ...old, ...more }));
  const whole: PlannedTask = {
    ...draft,
    needs: partsOf(needs, ","),
    allowedPaths: partsOf(paths, "\n"),
    mayChange: partsOf(mayChange, "\n"),
    verify: commandsOf(verify, task.verify),
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
        <PlannedTaskKind task={draft} onChange={change} />
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
        <div className="grid gap-4 sm:grid-cols-2">
          <Lines label={text.paths} hint={text.pathsHint} value={paths} onChange={setPaths} />
          <Lines label={text.mayChange} hint={text.mayChangeHint} value={mayChange} onChange={setMayChange} />
        </div>
        <Lines label={text.verify} hint={text.verifyHint} value={verify} onChange={setVerify} />
      </div>
    </Dialog>
  );
}

interface LinesProps {
  label: string;
  hint: string;
  value: string;
  onChange(value: string): void;
}

/** One of them a line. */
function Lines({ label, hint, value, onChange }: LinesProps) {
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <TextArea
          {...ids}
          rows={3}
          value={value}
          onChange={({ target }) => onChange(target.value)}
          className="font-mono"
        />
      )}
    </Field>
  );
}
