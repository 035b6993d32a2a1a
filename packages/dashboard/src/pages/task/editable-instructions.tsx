import { editableTaskStates, longestInstructions } from "@opentiger/schema";
import { Pencil } from "lucide-react";
import { useState } from "react";
import { editTask } from "../../api/tasks.ts";
import type { Task } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { Field, TextArea } from "../../parts/field.tsx";
import { Note } from "../../parts/notes.tsx";
import { Card } from "../../parts/page.tsx";
import { useAction } from "../../parts/use-action.ts";
import { words } from "../../words/words.ts";

const text = words.task;

/** What the agent is told; while nobody works on the task it can be said anew. */
export function EditableInstructions({ task }: { task: Task }) {
  const [editing, setEditing] = useState(false);
  const isEditable = editableTaskStates.includes(task.state);
  if (editing) return <Editor task={task} isEditable={isEditable} onClose={() => setEditing(false)} />;
  return (
    <Card className="mb-6 flex items-start gap-3 p-5">
      <p className="min-w-0 flex-1 text-base break-words whitespace-pre-wrap">{task.instructions}</p>
      {isEditable && (
        <Button
          look="quiet"
          icon={Pencil}
          label={text.editInstructions}
          onClick={() => setEditing(true)}
          className="-mt-1 -mr-1"
        />
      )}
    </Card>
  );
}

interface EditorProps {
  task: Task;
  isEditable: boolean;
  onClose(): void;
}

/** Stays open with what was written, whatever happens to the task or the request meanwhile. */
function Editor({ task, isEditable, onClose }: EditorProps) {
  const [before] = useState(task.instructions);
  const [written, setWritten] = useState(before);
  const save = useAction(() => editTask(task.id, { instructions: written }), {
    done: text.edited,
    onDone: onClose,
  });
  const isUnsaved = written.trim() !== task.instructions;
  return (
    <Card className="mb-6 flex flex-col gap-4 p-5">
      {!isEditable && (
        <Note tone="blocked" title={text.begun} live>
          {text.begunHint}
        </Note>
      )}
      {isEditable && task.instructions !== before && (
        <Note tone="blocked" title={text.editedElsewhere} live />
      )}
      <Field label={text.instructions} hint={text.instructionsHint}>
        {(ids) => (
          <TextArea
            {...ids}
            rows={10}
            maxLength={longestInstructions}
            value={written}
            onChange={(event) => setWritten(event.target.value)}
          />
        )}
      </Field>
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>{isEditable ? words.common.cancel : words.common.close}</Button>
        {isEditable && (
          <Button
            look="primary"
            busy={save.isPending}
            disabled={written.trim() === "" || !isUnsaved}
            onClick={() => save.mutate()}
          >
            {words.common.save}
          </Button>
        )}
      </div>
    </Card>
  );
}
