import { type SubmitEvent, useId, useState } from "react";
import { type SandboxItem, saveSandbox } from "../../api/sandboxes.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field, Input } from "../../parts/field.tsx";
import { Remedy } from "../../parts/notes.tsx";
import { say } from "../../parts/toast.tsx";
import { useAction } from "../../parts/use-action.ts";
import { words } from "../../words/words.ts";
import { environmentOf } from "./use-sandbox.ts";

const { sandboxes: text } = words;

/** Keeps its files as an image, under a name that others are made from. */
export function SaveTemplate({ sandbox, onClose }: { sandbox: SandboxItem; onClose: () => void }) {
  const [tag, setTag] = useState("");
  const form = useId();
  const save = useAction(() => saveSandbox(sandbox.name, environmentOf(sandbox), tag.trim()), {
    onDone: () => {
      say(text.saved(tag.trim()));
      onClose();
    },
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={text.saveTitle}
      lead={text.saveLead}
      actions={
        <>
          <Button onClick={onClose}>{words.common.cancel}</Button>
          <Button look="primary" type="submit" form={form} busy={save.isPending} disabled={tag.trim() === ""}>
            {words.common.save}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit}>
        <Field label={text.saveTag} hint={<Remedy text={text.saveTagHint} />}>
          {(ids) => (
            <Input
              {...ids}
              value={tag}
              onChange={(event) => setTag(event.target.value)}
              className="font-mono"
              autoComplete="off"
              spellCheck={false}
            />
          )}
        </Field>
      </form>
    </Dialog>
  );
}
