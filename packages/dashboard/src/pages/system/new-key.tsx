import { type SubmitEvent, useId, useState } from "react";
import { addKey, type MadeKey } from "../../api/keys.ts";
import { Button } from "../../parts/button.tsx";
import { CopyText } from "../../parts/copy-text.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field, Input } from "../../parts/field.tsx";
import { useAction } from "../../parts/use-action.ts";
import { words } from "../../words/words.ts";

const { systemParts: text } = words;

/** Makes a key and shows it this once; it is forgotten with the dialog. */
export function NewKey({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [days, setDays] = useState("");
  const [made, setMade] = useState<MadeKey>();
  const form = useId();
  const add = useAction(addKey, { onDone: setMade });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    add.mutate({ name: name.trim(), days: days === "" ? undefined : Number(days) });
  };
  if (made)
    return (
      <Dialog
        open
        onClose={onClose}
        title={made.name}
        lead={text.keyMade}
        actions={
          <Button look="primary" onClick={onClose}>
            {words.common.close}
          </Button>
        }
      >
        <CopyText text={made.key} />
        <p className="mt-4 text-xs text-faint">{text.keyUse}</p>
        <code className="font-mono text-xs text-soft">X-API-Key: …</code>
      </Dialog>
    );
  return (
    <Dialog
      open
      onClose={onClose}
      title={text.newKey}
      lead={text.newKeyLead}
      actions={
        <>
          <Button onClick={onClose}>{words.common.cancel}</Button>
          <Button look="primary" type="submit" form={form} busy={add.isPending} disabled={name.trim() === ""}>
            {text.makeKey}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-4">
        <Field label={text.keyName} hint={text.keyNameHint}>
          {(ids) => (
            <Input
              {...ids}
              value={name}
              onChange={(event) => setName(event.target.value)}
              autoComplete="off"
              spellCheck={false}
            />
          )}
        </Field>
        <Field label={text.keyDays} hint={text.keyDaysHint}>
          {(ids) => (
            <Input
              {...ids}
              type="number"
              min={1}
              max={3650}
              value={days}
              onChange={(event) => setDays(event.target.value)}
            />
          )}
        </Field>
      </form>
    </Dialog>
  );
}
